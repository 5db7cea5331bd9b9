// What plain forms cannot do: copy, and change colours without a round trip.

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.querySelector("span");
  const said = label.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    label.textContent = button.dataset.done;
    setTimeout(() => (label.textContent = said), 2000);
  });
}

for (const group of document.querySelectorAll(".preferences .segments")) {
  group.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=theme]");
    if (!button) return;
    event.preventDefault();
    const theme = button.value;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `gw_theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const each of group.children) each.setAttribute("aria-pressed", String(each === button));
    // the account remembers it as well; without an account this changes nothing
    const said = new URLSearchParams(new FormData(button.form));
    said.set("theme", theme);
    fetch(button.form.action, { method: "POST", body: said, redirect: "manual", keepalive: true }).catch(() => {});
  });
}

// A question holds the keyboard until it is answered or left: as a popover, which is what it is
// without a script, Tab would lead out of it to a page that lies behind.
for (const opener of document.querySelectorAll("[popovertarget]")) {
  const dialog = document.getElementById(opener.getAttribute("popovertarget"));
  if (!(dialog instanceof HTMLDialogElement)) continue;
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    if (opener.getAttribute("popovertargetaction") === "hide") dialog.close();
    else dialog.showModal();
  });
}

// What waits for something elsewhere looks again by itself, and changes only when there is news: a
// page that reloads under its reader's hands cannot be read aloud. Without a script there is a link.
for (const waiting of document.querySelectorAll("[data-look]")) {
  const look = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(waiting.id);
      if (!fresh) return;
      if (!fresh.isEqualNode(waiting)) waiting.replaceChildren(...fresh.childNodes);
      if (!fresh.dataset.look) return;
    }
    setTimeout(look, waiting.dataset.look * 1000);
  };
  setTimeout(look, waiting.dataset.look * 1000);
}

// Times are read in one's own zone; the server's, which is in every export, stays as the title.
const local = new Intl.DateTimeFormat(document.documentElement.lang, {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});
for (const time of document.querySelectorAll("time[datetime]")) {
  const said = local.format(new Date(time.dateTime));
  if ("local" in time.dataset) {
    time.title = time.textContent;
    time.textContent = said;
  } else {
    time.title = `${said} (${time.title})`;
  }
}

// After a form came back with errors the first wrong field is where one goes on.
document.querySelector("[aria-invalid=true]")?.focus();
