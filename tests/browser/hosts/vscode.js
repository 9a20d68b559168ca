// VS Code's side of its renderer: a kernel that has no process, and comms that note what the page tells it.
import { activate } from "./ipywidgets.js";

const signal = { connect() {}, disconnect() {} };
const kernel = {
  id: "", name: "python3", username: "", clientId: "", status: "idle", connectionStatus: "connected", isDisposed: false,
  statusChanged: signal, connectionStatusChanged: signal, iopubMessage: signal, unhandledMessage: signal,
  anyMessage: signal, pendingInput: signal, disposed: signal,
  registerCommTarget() {},
  requestCommInfo: async () => ({ content: { comms: {} } }),
};
const scripts = {
  widgetsRegisteredInRequireJs: new Set(),
  successHandler() {},
  errorHandler(...what) { throw new Error(what.join(" ")); },
  loadWidgetScript: async () => {}, // require.js finds anywidget's file by its path
};

/** What the pages of the models have told the kernel: the widgets' ids, their messages, and the bytes beside them. */
const told = [];
const bytesOf = (data) => [...new Uint8Array(data.buffer ?? data, data.byteOffset, data.byteLength)];

function commOf(model) {
  return {
    comm_id: model.model_id, target_name: "jupyter.widget",
    on_msg() {}, on_close() {}, close() {},
    send(data, callbacks, metadata, buffers = []) {
      told.push([model.model_id, data, buffers.map(bytesOf)]);
      queueMicrotask(() => {
        if (data.method === "custom") model.trigger("msg:custom", { kind: "no_kernel" }, []);
        callbacks?.iopub?.status?.({ header: {}, content: { execution_state: "idle" } });
      });
      return model.model_id;
    },
  };
}

/** Loads the state as VS Code does that of a notebook, and shows the widgets of these ids, each in an output. */
window.show = async (state, ids) => {
  activate();
  window.vscIPyWidgets8.load();
  const manager = new window.vscIPyWidgets.WidgetManager(kernel, document.body, scripts, () => {}, {});
  for (const model of await manager.set_state(state)) {
    model.comm = commOf(model);
    model.comm_live = true;
  }
  for (const id of ids) {
    const output = document.body.appendChild(document.createElement("div"));
    output.className = "cell-output-ipywidget-background";
    const view = await manager.create_view(await manager.get_model(id));
    await manager.display_view(undefined, view, { node: output });
  }
};
window.told = told;
