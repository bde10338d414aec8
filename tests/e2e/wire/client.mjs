// A client of another make: it speaks docs/wire.md over the WebSocket of Node, and nothing of ours.
// Prints one line of JSON for each thing that it learns.
const socket = new WebSocket(process.argv[2]);
const waiting = new Map();
const published = [];
const wakers = [];
let lastId = 0;

const say = (what, value) => console.log(JSON.stringify([what, value]));
const send = (frame) => socket.send(JSON.stringify(frame));
const ask = (frame) =>
  new Promise((resolve) => {
    const id = ++lastId;
    waiting.set(id, resolve);
    send({ ...frame, id });
  });
const call = (member, args) =>
  ask({ type: "call", service: "models", member, arguments: args });
const next = async (type) => {
  for (;;) {
    const found = published.findIndex((frame) => frame.type === type);
    if (found >= 0) return published.splice(found, 1)[0];
    await new Promise((resolve) => wakers.push(resolve));
  }
};

socket.onmessage = ({ data }) => {
  const frame = JSON.parse(data);
  const isAnswer = ["result", "failed", "granted"].includes(frame.type);
  if (isAnswer && waiting.has(frame.id)) {
    waiting.get(frame.id)(frame);
    waiting.delete(frame.id);
    return;
  }
  published.push(frame);
  wakers.splice(0).forEach((wake) => wake());
};
socket.onerror = () => process.exit(1);
socket.onclose = ({ code }) => say("closed", code);

socket.onopen = async () => {
  send({ type: "hello", versions: [1], bounds: { frame: 1048576, calls: 8, subscriptions: 8 } });
  say("welcome", (await next("welcome")).version);

  send({ type: "subscribe", id: 1, service: "models", mode: "singleton", version: 1, digest: "" });
  const snapshot = await next("snapshot");
  say("snapshot", [snapshot.id, snapshot.members, snapshot.states.state.configuration.model]);

  const tiny = { provider: "local", modelId: "tiny:1b" };
  const answer = await call("select", { model: tiny });
  say("select", Object.keys(answer));
  const update = await next("update");
  say("update", [update.number, update.member, update.value.configuration.model]);

  const none = { provider: "nobody", modelId: "none" };
  say("unknown", (await call("select", { model: none })).error);
  say("invalid", (await call("select", { model: 7 })).error.code);
  const internal = (await call("cycleThinking", {})).error;
  say("internal", [internal.code, Object.keys(internal.data), JSON.stringify(internal).includes("hunter2")]);
  say("nothing", (await call("nothing", {})).error.code);

  const refreshing = call("refresh", {});
  say("refreshing", (await next("update")).value.refresh);
  send({ type: "cancel", id: lastId });
  say("cancelled", (await refreshing).error.code);
  say("idle", (await next("update")).value.refresh);

  send("nonsense");
  say("fault", (await next("fault")).error.code);
  send({ type: "ping" });
  say("pong", (await next("pong")).type);

  send({ type: "unsubscribe", id: 1 });
  send({ type: "goodbye" });
};
