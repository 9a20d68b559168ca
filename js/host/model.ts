// A widget's model in a page without a kernel: the saved state, and its listeners.

/** A widget's state. Its bytes are apart, deflated and in base64, each with its path in `state`. */
export interface Saved {
  readonly state: Record<string, unknown>;
  readonly buffers: readonly { readonly path: readonly (string | number)[]; readonly data: string }[];
}

/** The state with its bytes in their places, inflated. */
export async function stateOf({ state, buffers }: Saved): Promise<Record<string, unknown>> {
  for (const { path, data } of buffers) {
    let holder = state;
    for (const step of path.slice(0, -1)) holder = holder[step] as Record<string, unknown>;
    holder[path.at(-1)!] = new DataView(await inflated(data));
  }
  return state;
}

function inflated(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

type Handler = (...args: never[]) => void;

/** The model that a widget's module gets. `changed` is called where a notebook would tell the kernel. */
export function pageModel(saved: Record<string, unknown>, changed: () => void) {
  const state = new Map(Object.entries(saved));
  const handlers = new Map<string, Set<Handler>>();

  const emit = (event: string, ...args: unknown[]) => {
    for (const handler of [...(handlers.get(event) ?? [])]) handler(...(args as never[]));
  };
  return {
    get: (name: string): unknown => state.get(name),
    set(name: string, value: unknown): void {
      if (Object.is(state.get(name), value)) return;
      state.set(name, value);
      emit(`change:${name}`);
    },
    /** Set several traits, which listeners find all set, as with a kernel's message; then "addressed". */
    assign(values: Record<string, unknown>): void {
      const changes = Object.entries(values).filter(([name, value]) => !Object.is(state.get(name), value));
      for (const [name, value] of changes) state.set(name, value);
      for (const [name] of changes) emit(`change:${name}`);
      if (changes.length > 0) emit("addressed");
    },
    save_changes: changed,
    /** Each message is answered with "no_kernel", asynchronously like a kernel's answer. */
    send(_: unknown): void {
      queueMicrotask(() => emit("msg:custom", { kind: "no_kernel" }, []));
    },
    on(event: string, handler: Handler): void {
      handlers.set(event, (handlers.get(event) ?? new Set()).add(handler));
    },
    off(event: string, handler: Handler): void {
      handlers.get(event)?.delete(handler);
    },
  };
}

export type PageModel = ReturnType<typeof pageModel>;
