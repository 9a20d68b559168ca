// A widget's model without a kernel: its state, who listens to it, and what the page has saved and sent.

type Listener = (...args: any[]) => void;

export function fakeModel(traits: Record<string, unknown>) {
  const state = { ...traits };
  const listeners = new Map<string, Set<Listener>>();
  const emit = (event: string, ...args: unknown[]) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(...args));
  return {
    /** The whole state at each save. */
    saved: [] as Record<string, unknown>[],
    sent: [] as Record<string, unknown>[],
    get: (name: string) => state[name],
    set(name: string, value: unknown) {
      if (state[name] === value) return;
      state[name] = value;
      emit(`change:${name}`);
    },
    /** The kernel sets several traits: the model tells of each when it has them all. */
    receive(changes: Record<string, unknown>) {
      const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
      Object.assign(state, changes);
      changed.forEach((name) => emit(`change:${name}`));
    },
    /** A saved page's address sets several traits. */
    address(changes: Record<string, unknown>) {
      this.receive(changes);
      emit("addressed");
    },
    save_changes() { this.saved.push({ ...state }); },
    send(content: Record<string, unknown>) { this.sent.push(content); },
    on: (event: string, listener: Listener) => listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    off: (event: string, listener: Listener) => listeners.get(event)?.delete(listener),
    /** A message from the kernel. */
    answer: (content: unknown, buffers?: readonly (ArrayBuffer | ArrayBufferView)[]) => emit("msg:custom", content, buffers),
    /** How many listeners there are. */
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}
