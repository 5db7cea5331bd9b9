// The playground: a request in one of four shapes, its answer and its events, and the same as a
// program. Nothing that came from elsewhere is ever put into the page as anything but text.

const page = document.getElementById("playground");
const at = (id) => document.getElementById(id);
const BODY_MAX = 1048576;
const PICTURE_PX = 1024;
const WIRE_CHARS_MAX = 200000;
const TOOL = {
  name: "get_weather",
  description: "The weather at a place, now.",
  schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

// --- the four shapes: what is sent, and the text in what comes ---------------------------------

const SHAPES = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (said) => ({
      model: said.model,
      messages: [
        ...(said.system ? [{ role: "system", content: said.system }] : []),
        ...said.turns.map(({ role, text, picture }) => ({
          role,
          content: picture
            ? [{ type: "text", text }, { type: "image_url", image_url: { url: picture } }]
            : text,
        })),
      ],
      max_completion_tokens: said.most,
      ...(said.tool && { tools: [{ type: "function", function: { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema } }] }),
      ...(said.stream && { stream: true, stream_options: { include_usage: true } }),
    }),
    texts: (one) => (one.choices ?? []).map((choice) => (choice.delta ?? choice.message)?.content),
    calls: (one) => (one.choices ?? []).flatMap((choice) => (choice.delta ?? choice.message)?.tool_calls ?? [])
      .map((call) => [call.function?.name, call.function?.arguments]),
  },
  responses: {
    path: () => "/v1/responses",
    body: (said) => ({
      model: said.model,
      ...(said.system && { instructions: said.system }),
      input: said.turns.map(({ role, text, picture }) => ({
        role,
        content: picture
          ? [{ type: "input_text", text }, { type: "input_image", image_url: picture }]
          : text,
      })),
      max_output_tokens: said.most,
      store: false,
      ...(said.tool && { tools: [{ type: "function", name: TOOL.name, description: TOOL.description, parameters: TOOL.schema, strict: false }] }),
      ...(said.stream && { stream: true }),
    }),
    texts: (one) => one.type === "response.output_text.delta"
      ? [one.delta]
      : one.object === "response" ? (one.output ?? []).flatMap((item) => item.content ?? []).map((part) => part.text) : [],
    calls: (one) => (one.type === "response.output_item.done" ? [one.item] : one.object === "response" ? one.output ?? [] : [])
      .filter((item) => item?.type === "function_call").map((item) => [item.name, item.arguments]),
  },
  messages: {
    path: () => "/v1/messages",
    body: (said) => ({
      model: said.model,
      max_tokens: said.most,
      ...(said.system && { system: said.system }),
      messages: said.turns.map(({ role, text, picture }) => ({
        role,
        content: picture
          ? [{ type: "text", text }, { type: "image", source: { type: "base64", ...split(picture) } }]
          : text,
      })),
      ...(said.tool && { tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.schema }] }),
      ...(said.stream && { stream: true }),
    }),
    texts: (one) => one.type === "content_block_delta" ? [one.delta?.text] : one.type === "message" ? (one.content ?? []).map((part) => part.text) : [],
    calls: (one) => {
      if (one.type === "content_block_start" && one.content_block?.type === "tool_use") return [[one.content_block.name, ""]];
      if (one.type === "content_block_delta" && one.delta?.partial_json) return [[undefined, one.delta.partial_json]];
      return one.type === "message" ? (one.content ?? []).filter((part) => part.type === "tool_use").map((part) => [part.name, JSON.stringify(part.input)]) : [];
    },
  },
  generate: {
    path: (said) => `/v1beta/models/${encodeURIComponent(said.model)}:${said.stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (said) => ({
      ...(said.system && { systemInstruction: { parts: [{ text: said.system }] } }),
      contents: said.turns.map(({ role, text, picture }) => ({
        role: role === "assistant" ? "model" : role,
        parts: [{ text }, ...(picture ? [{ inlineData: { mimeType: split(picture).media_type, data: split(picture).data } }] : [])],
      })),
      generationConfig: { maxOutputTokens: said.most },
      ...(said.tool && { tools: [{ functionDeclarations: [{ name: TOOL.name, description: TOOL.description, parameters: TOOL.schema }] }] }),
    }),
    texts: (one) => parts(one).filter((part) => !part.thought).map((part) => part.text),
    calls: (one) => parts(one).filter((part) => part.functionCall).map((part) => [part.functionCall.name, JSON.stringify(part.functionCall.args ?? {})]),
  },
};

const parts = (one) => (one.candidates ?? []).flatMap((candidate) => candidate.content?.parts ?? []);

function split(picture) {
  const [, media_type, data] = /^data:([^;]+);base64,(.*)$/s.exec(picture);
  return { media_type, data };
}

// --- the same as a program ---------------------------------------------------------------------

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function python(value, indent = "") {
  const deeper = `${indent}    `;
  if (value === null) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const inner = Array.isArray(value)
    ? value.map((each) => deeper + python(each, deeper))
    : Object.entries(value).map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${python(each, deeper)}`);
  return inner.length ? `${open}\n${inner.join(",\n")},\n${indent}${close}` : open + close;
}

function programs(address, body) {
  const json = JSON.stringify(body, null, 2);
  return {
    curl: `curl -N ${quoted(address)} \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(json)}`,
    python: `import os\n\nimport httpx\n\nrequest = ${python(body)}\nwith httpx.stream(\n    "POST",\n    ${JSON.stringify(address)},\n    headers={"Authorization": "Bearer " + os.environ["KEY"]},\n    json=request,\n    timeout=600,\n) as answer:\n    for text in answer.iter_text():\n        print(text, end="")`,
    node: `const answer = await fetch(${JSON.stringify(address)}, {\n  method: "POST",\n  headers: { authorization: "Bearer " + process.env.KEY, "content-type": "application/json" },\n  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),\n});\nfor await (const piece of answer.body.pipeThrough(new TextDecoderStream())) process.stdout.write(piece);`,
  };
}

// --- the page ----------------------------------------------------------------------------------

let turns = [];
let picture = "";
let isEdited = false;
let running = null;

function wanted(withMessage = true) {
  const text = at("message").value;
  return {
    model: at("model").value.trim(),
    system: at("system").value.trim(),
    most: Number(at("most").value) || 1000,
    stream: at("stream").checked,
    tool: at("tool").checked,
    turns: withMessage && (text || picture) ? [...turns, { role: "user", text, picture }] : turns,
  };
}

const pathOf = () => SHAPES[at("shape").value].path(wanted());

function shown() {
  if (!isEdited) at("body").value = JSON.stringify(SHAPES[at("shape").value].body(wanted()), null, 2);
  let body;
  try {
    body = JSON.parse(at("body").value);
  } catch {
    return;
  }
  const found = programs(page.dataset.origin + pathOf(), body);
  for (const [name, text] of Object.entries(found)) at(`as-${name}`).textContent = text;
}

function line(className, text = "") {
  const made = document.createElement("p");
  made.className = className;
  made.textContent = text;
  at("said").append(made);
  return made;
}

function toWire(text) {
  const wire = at("wire");
  if (wire.textContent.length < WIRE_CHARS_MAX) wire.append(text.slice(0, WIRE_CHARS_MAX - wire.textContent.length));
}

// Lines of server-sent events as they come; of anything else the whole text at its end.
async function* events(answer) {
  const isStream = (answer.headers.get("content-type") ?? "").startsWith("text/event-stream");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    toWire(value);
    rest += value;
    if (!isStream) continue;
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const each of lines) {
      if (each.startsWith("data:") && !each.endsWith("[DONE]")) yield JSON.parse(each.slice(5));
    }
  }
  if (!isStream && rest) yield JSON.parse(rest);
}

async function ask(body, path, shape) {
  const answer = await fetch(page.dataset.call + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-csrf-token": page.dataset.csrf,
      "trivium-playground-key": at("key").value,
    },
    body,
    signal: running.signal,
  });
  toWire(`HTTP ${answer.status}\n`);
  for (const name of ["x-request-id", "trivium-channel", "trivium-attempts", "trivium-model", "trivium-dropped", "trivium-repaired", "trivium-cost"]) {
    if (answer.headers.has(name)) toWire(`${name}: ${answer.headers.get(name)}\n`);
  }
  toWire("\n");
  const heard = line("assistant", page.dataset.thinking);
  heard.classList.add("waits");
  const calls = [];
  let text = "";
  try {
    for await (const one of events(answer)) {
      const error = one.error ?? (one.type === "response.failed" ? one.response?.error : undefined);
      if (error || !answer.ok) {
        heard.className = "failed";
        heard.textContent = error?.message ?? one.message ?? JSON.stringify(one);
        return { id: answer.headers.get("x-request-id"), text: "" };
      }
      for (const each of shape.texts(one)) if (typeof each === "string") text += each;
      for (const [name, given] of shape.calls(one)) {
        if (name || !calls.length) calls.push([name, given ?? ""]);
        else calls.at(-1)[1] += given ?? "";
      }
      if (text || calls.length) heard.classList.remove("waits");
      if (text) heard.textContent = text;
    }
  } finally {
    heard.classList.remove("waits");
    if (heard.textContent === page.dataset.thinking) heard.textContent = calls.length ? "" : page.dataset.nothing;
    if (!heard.textContent) heard.remove();
  }
  for (const [name, given] of calls) line("call", `${page.dataset.tool} ${name ?? ""}(${given})`);
  return { id: answer.headers.get("x-request-id"), text };
}

async function billed(id) {
  for (let tries = 0; id && tries < 8; tries += 1) {
    await new Promise((done) => setTimeout(done, 700));
    const answer = await fetch(`${page.dataset.bill}/${id}`).catch(() => null);
    if (answer?.status === 404) continue;
    if (!answer?.ok) return;
    const told = await answer.json();
    if (told.cost === null && tries < 3) continue; // the bill may be booked a moment after the record
    const bill = at("bill");
    bill.querySelector(".cost").textContent = told.cost ?? "–";
    bill.querySelector(".in").textContent = told.input_tokens ?? "–";
    bill.querySelector(".out").textContent = told.output_tokens ?? "–";
    bill.querySelector(".took").textContent = told.duration;
    bill.querySelector("a").href = told.path;
    bill.hidden = false;
    return;
  }
}

async function send(event) {
  event.preventDefault();
  if (running) return;
  const text = at("body").value;
  try {
    JSON.parse(text);
  } catch (error) {
    line("failed", page.dataset.json + error.message);
    return;
  }
  if (new Blob([text]).size > BODY_MAX) {
    line("failed", page.dataset.large);
    return;
  }
  const shape = SHAPES[at("shape").value];
  const mine = { role: "user", text: at("message").value, picture };
  running = new AbortController();
  at("stop").disabled = false;
  at("bill").hidden = true;
  at("wire").textContent = "";
  line("user", mine.text);
  let found = { id: null, text: "" };
  try {
    found = await ask(text, pathOf(), shape);
  } catch (error) {
    line("failed", error.name === "AbortError" ? page.dataset.stopped : page.dataset.failed);
  }
  running = null;
  at("stop").disabled = true;
  if (found.text) {
    turns = [...turns, mine, { role: "assistant", text: found.text }];
    at("message").value = "";
    picture = "";
    at("picture").value = "";
    isEdited = false;
  }
  shown();
  billed(found.id);
}

// A photograph from a telephone is larger than any model looks at.
async function pictured() {
  const [file] = at("picture").files;
  picture = "";
  if (file) {
    const image = await createImageBitmap(file).catch(() => null);
    if (image) {
      const scale = Math.min(1, PICTURE_PX / Math.max(image.width, image.height));
      const canvas = document.createElement("canvas");
      canvas.width = Math.max(1, Math.round(image.width * scale));
      canvas.height = Math.max(1, Math.round(image.height * scale));
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      picture = canvas.toDataURL("image/jpeg", 0.85);
    }
  }
  isEdited = false;
  shown();
}

if (page) {
  page.hidden = false;
  at("ask").addEventListener("submit", send);
  at("ask").addEventListener("input", (event) => {
    if (event.target.id === "picture") return;
    isEdited = event.target.id === "body";
    shown();
  });
  at("picture").addEventListener("change", pictured);
  at("stop").addEventListener("click", () => running?.abort());
  at("clear").addEventListener("click", () => {
    running?.abort();
    turns = [];
    isEdited = false;
    at("said").replaceChildren();
    at("wire").textContent = "";
    at("bill").hidden = true;
    shown();
  });
  shown();
}
