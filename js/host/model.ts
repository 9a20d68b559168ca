// The model of a page without a kernel: the saved state, and its listeners.

/** A widget's state and its bytes, deflated and in base64: `buffers` belong at their paths in `state`. */
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

/** The model that a widget's module gets. `saved` is called where a notebook would tell the kernel. */
export function pageModel(found: Record<string, unknown>, saved: () => void) {
  const state = new Map(Object.entries(found));
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
    save_changes: saved,
    /** The answer to each message says that there is no kernel. It comes later, as a kernel's would. */
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
