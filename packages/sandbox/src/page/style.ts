/** The page's CSS: dark, one accent, one column on a phone and three on a desktop. */
export const STYLE = `
:root{color-scheme:dark;--bg:#1b1d22;--panel:#23262c;--line:#363a43;--text:#e6e8ec;--soft:#a7adb8;--accent:#9db4ff;--warn:#ffb4a8}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,sans-serif}
a{color:var(--accent)}h1{font-size:1.1rem;margin:0}h2{font-size:1rem;margin:0 0 .6rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.6rem 1rem;border-bottom:1px solid var(--line);background:var(--panel)}
header form{display:flex;gap:.5rem;align-items:center;margin-left:auto;min-width:0;flex-wrap:wrap}
nav{padding:.6rem;display:flex;flex-wrap:wrap;gap:.25rem;border-bottom:1px solid var(--line)}
nav a{padding:.25rem .6rem;border-radius:.35rem;color:var(--text);text-decoration:none}
nav a:hover{background:var(--panel)}nav a[aria-current]{background:#3a4056;color:#fff}
nav span{color:var(--soft);font-size:.8rem;padding:.3rem .6rem}
main{padding:1rem;min-width:0}aside{padding:1rem;border-top:1px solid var(--line);min-width:0}
ol,ul{list-style:none;margin:0;padding:0}
.message{padding:.4rem 0;border-bottom:1px solid #2a2d34;overflow-wrap:anywhere}
.message .head{display:flex;flex-wrap:wrap;gap:.5rem;align-items:baseline}
.message .menus{display:flex;gap:.3rem;margin-left:auto}.message .menus button{font-size:.78rem;padding:.05rem .45rem}
.message time,.soft{color:var(--soft);font-size:.82rem}.message p{margin:.1rem 0;white-space:pre-wrap}
.tag{font-size:.72rem;border:1px solid var(--line);border-radius:.3rem;padding:0 .3rem;color:var(--soft)}
.warn{color:var(--warn)}.embed{border-left:3px solid var(--accent);background:var(--panel);padding:.4rem .7rem;margin:.3rem 0;border-radius:.2rem}
.embed dl{margin:.2rem 0;display:grid;grid-template-columns:auto 1fr;gap:0 .8rem}.embed dt{color:var(--soft)}.embed dd{margin:0}
.hidden-to-others{background:#262a3a;padding:.4rem .6rem;border-radius:.35rem}
.row{display:flex;gap:.4rem;flex-wrap:wrap;align-items:center;margin:.3rem 0}
button,select,input,textarea{font:inherit;color:inherit;background:#2d3139;border:1px solid #59606e;border-radius:.35rem;padding:.35rem .6rem;max-width:100%}
button{cursor:pointer}button:hover{background:#39404d}button:disabled{opacity:.5;cursor:not-allowed}
button.primary{background:#4658c9;border-color:#4658c9;color:#fff}button.danger{background:#8f2d2f;border-color:#8f2d2f;color:#fff}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.compose{display:flex;gap:.5rem;margin-top:1rem}.compose input{flex:1;min-width:0}
details{margin-top:.6rem;border:1px solid var(--line);border-radius:.4rem;padding:.4rem .7rem}summary{cursor:pointer}
label{display:grid;gap:.15rem;margin:.4rem 0;font-size:.88rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}caption{text-align:left;padding-bottom:.4rem;color:var(--soft)}
table{min-width:32rem}th,td{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid #2a2d34;vertical-align:top;overflow-wrap:break-word}
th{color:var(--soft);font-weight:500}
#notice{position:fixed;inset:auto 1rem 1rem;max-width:32rem;margin:auto;background:#3a2626;border:1px solid #7c4a45;border-radius:.4rem;padding:.6rem .9rem}
#notice:empty{display:none}dialog{background:var(--panel);color:var(--text);border:1px solid var(--line);border-radius:.5rem;width:min(28rem,92vw)}
@media(min-width:60rem){body{display:grid;grid-template:auto minmax(0,1fr)/13rem minmax(0,1fr) 17rem;height:100vh}header.top{grid-column:1/-1}
nav,main,aside{overflow:auto}
nav{flex-direction:column;flex-wrap:nowrap;align-content:start;border-bottom:0;border-right:1px solid var(--line)}
aside{border-top:0;border-left:1px solid var(--line)}}`;

/** The page's script: forms and buttons call the control endpoints, and every change redraws the page. */
export const SCRIPT = `
const notice = document.getElementById('notice');
const params = () => new URLSearchParams(location.search);
async function send(path, body) {
  notice.textContent = '';
  const answer = await fetch('/sandbox/' + path, { method: 'POST', body: JSON.stringify(body) });
  const result = await answer.json();
  if (!answer.ok) notice.textContent = result.error;
  else if (result.state === 'expired') notice.textContent = 'The application did not respond.';
  if (result.modal) openModal(result);
  return answer.ok;
}
const pane = document.getElementById('content');
const scrolls = () => (pane.scrollHeight > pane.clientHeight ? pane : document.scrollingElement);
function toEnd() { if (pane.dataset.view === 'channel') scrolls().scrollTop = scrolls().scrollHeight; }
async function redraw() {
  const atEnd = scrolls().scrollHeight - scrolls().scrollTop - scrolls().clientHeight < 120;
  const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
  for (const id of ['content', 'side']) {
    const now = document.getElementById(id), next = page.getElementById(id);
    const typing = now.contains(document.activeElement) && /INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName);
    const list = '[data-live]';
    if (!typing && !now.querySelector('details[open]')) now.innerHTML = next.innerHTML;
    else now.querySelectorAll(list).forEach((part, index) => {
      const other = next.querySelectorAll(list)[index];
      if (other && !part.contains(document.activeElement)) part.innerHTML = other.innerHTML;
    });
  }
  if (atEnd) toEnd();
}
toEnd();
function openModal(result) {
  const dialog = document.createElement('dialog');
  const form = document.createElement('form');
  form.dataset.send = 'interactions';
  form.dataset.body = JSON.stringify({ type: 'modal', user: document.body.dataset.user, interaction_id: result.id });
  form.dataset.group = 'fields';
  const title = document.createElement('h2');
  title.textContent = result.modal.title;
  form.append(title);
  const visit = (component) => {
    (component.components || []).forEach(visit);
    if (component.component) visit({ label: component.label, ...component.component });
    if (component.type !== 4 && component.type !== 3) return;
    const label = document.createElement('label');
    label.textContent = component.label || component.custom_id;
    const kind = component.type === 3 ? 'select' : component.style === 2 ? 'textarea' : 'input';
    const input = document.createElement(kind);
    input.name = component.custom_id;
    for (const { label, value, default: chosen } of component.options || []) {
      input.append(new Option(label, value, chosen, chosen));
    }
    if (component.type === 4) input.value = component.value || '';
    if (component.placeholder) input.placeholder = component.placeholder;
    input.required = component.required !== false;
    label.append(input);
    form.append(label);
  };
  result.modal.components.forEach(visit);
  const button = document.createElement('button');
  button.className = 'primary';
  button.textContent = 'Send';
  form.append(button);
  dialog.append(form);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.dataset.send) return;
  event.preventDefault();
  const body = JSON.parse(form.dataset.body);
  // What was cleared in a form of the bot's is sent as nothing; of a command's options it is left out.
  const isModal = form.dataset.group === 'fields';
  const given = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== '' || isModal));
  if (form.dataset.group) body[form.dataset.group] = given; else Object.assign(body, given);
  form.querySelectorAll('button').forEach((button) => { button.disabled = true; });
  const done = await send(form.dataset.send, body);
  form.querySelectorAll('button').forEach((button) => { button.disabled = false; });
  if (!done) return;
  const dialog = form.closest('dialog');
  if (dialog) dialog.close(); else form.reset();
  await redraw();
});
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-send]');
  if (!button) return;
  button.disabled = true;
  await send(button.dataset.send, JSON.parse(button.dataset.body));
  button.disabled = false;
  await redraw();
});
document.addEventListener('change', async (event) => {
  const select = event.target;
  if (select.dataset.go) { const next = params(); next.set(select.dataset.go, select.value); location.search = next; return; }
  if (!select.dataset.send) return;
  const body = { ...JSON.parse(select.dataset.body), values: [...select.selectedOptions].map((option) => option.value) };
  if (await send(select.dataset.send, body)) await redraw();
});
let typing;
document.addEventListener('input', (event) => {
  const input = event.target;
  if (!input.dataset.autocomplete) return;
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const form = input.form;
    const options = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
    const body = { ...JSON.parse(form.dataset.body), type: 'autocomplete', focused: input.name, options };
    const answer = await fetch('/sandbox/interactions', { method: 'POST', body: JSON.stringify(body) });
    const list = document.getElementById(input.getAttribute('list'));
    list.replaceChildren(...((await answer.json()).choices || []).map((choice) => {
      const option = document.createElement('option');
      option.value = choice.value;
      option.label = choice.name;
      return option;
    }));
  }, 250);
});
(async () => {
  let change = Number(document.body.dataset.change);
  for (;;) {
    try {
      const answer = await fetch('/sandbox/changes?wait_ms=25000&after_change=' + change);
      const next = (await answer.json()).change;
      if (next !== change) { change = next; await redraw(); }
    } catch { await new Promise((resolve) => setTimeout(resolve, 2000)); }
  }
})();`;
