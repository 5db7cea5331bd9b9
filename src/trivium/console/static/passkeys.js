// Passkeys: asks for a challenge, has the device answer it, and hands the answer to an ordinary form.

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

function asked(options) {
  const read = { ...options, challenge: bytes(options.challenge) };
  if (options.user) read.user = { ...options.user, id: bytes(options.user.id) };
  for (const list of ["excludeCredentials", "allowCredentials"]) {
    if (options[list]) read[list] = options[list].map((each) => ({ ...each, id: bytes(each.id) }));
  }
  return read;
}

function answered(credential) {
  const given = credential.response;
  const response = { clientDataJSON: text(given.clientDataJSON) };
  if (given.attestationObject) {
    response.attestationObject = text(given.attestationObject);
    response.transports = given.getTransports ? given.getTransports() : [];
  } else {
    response.authenticatorData = text(given.authenticatorData);
    response.signature = text(given.signature);
    if (given.userHandle) response.userHandle = text(given.userHandle);
  }
  return JSON.stringify({ id: credential.id, rawId: text(credential.rawId), type: credential.type, response });
}

async function run(form) {
  const answer = await fetch(form.dataset.begin, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
  });
  // a session that has ended, or must be proved again, is answered with a page
  if (!answer.headers.get("content-type")?.startsWith("application/json")) return location.reload();
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.message ?? form.dataset.failed);
  const publicKey = asked(told.options);
  const made = await navigator.credentials[form.dataset.passkey]({ publicKey }).catch(() => null);
  if (!made) throw new Error(form.dataset.failed);
  form.elements.step.value = told.step;
  form.elements.answer.value = answered(made);
  form.submit();
}

if (window.PublicKeyCredential) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const wrong = form.querySelector("[data-wrong]");
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      wrong.hidden = true;
      try {
        await run(form);
      } catch (error) {
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    });
  }
}
