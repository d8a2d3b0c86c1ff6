/** Builds the page out of elements. Nothing is ever parsed as HTML: what people write stays text. */

export type Child = Node | string | null | false | undefined;
type Props = Readonly<Record<string, unknown>>;

/**
 * An element. `on…` properties are listeners, `true` is an attribute without a value, and null or false leave one out.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props | null,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function') {
      element.addEventListener(name.slice(2), (event) => value(event));
    } else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...present(children));
  return element;
}

/** The children that are there. */
export function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== null && child !== false && child !== undefined);
}

/** The element of the page with this id. @throws Error when the page lacks it */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found;
}

interface Shown {
  readonly revision: string;
  readonly node: Element;
}

const shownIn = new WeakMap<Element, Map<string, Shown>>();

/** Makes `parent` show exactly these items. Elements of items that did not change stay, with focus and scrolling. */
export function showItems<Item>(
  parent: Element,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  make: (item: Item) => Element,
  revisionOf: (item: Item) => string = (item) => JSON.stringify(item),
): void {
  const before = shownIn.get(parent) ?? new Map<string, Shown>();
  const after = new Map<string, Shown>();
  for (const item of items) {
    const revision = revisionOf(item);
    const old = before.get(keyOf(item));
    after.set(keyOf(item), old?.revision === revision ? old : { revision, node: make(item) });
  }
  const kept = new Set([...after.values()].map(({ node }) => node));
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let place = parent.firstElementChild;
  for (const node of kept) {
    if (node === place) place = place.nextElementSibling;
    else parent.insertBefore(node, place);
  }
  shownIn.set(parent, after);
}

const drawn = new WeakMap<Element, string>();

/** Redraws the children of `parent` if what they show has changed. Focus stays on the element with the same `data-key`. */
export function redraw(parent: Element, shows: unknown, make: () => readonly Child[]): void {
  const revision = JSON.stringify(shows);
  if (drawn.get(parent) === revision) return;
  drawn.set(parent, revision);
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const key = focused instanceof HTMLElement ? focused.dataset.key : undefined;
  parent.replaceChildren(...present(make()));
  if (key === undefined) return;
  for (const again of parent.querySelectorAll<HTMLElement>('[data-key]'))
    if (again.dataset.key === key) again.focus();
}

/** `14:05` today, else with the date, and in full where the pointer rests. */
export function timeOf(iso: string): HTMLTimeElement {
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date().toDateString();
  const shown = at.toLocaleString(
    [],
    isToday ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' },
  );
  return h(
    'time',
    { datetime: iso, title: at.toLocaleString([], { dateStyle: 'full', timeStyle: 'long' }) },
    shown,
  );
}

/** The first letters of two words of a name, as whole characters: an emoji is one. */
export function initials(name: string): string {
  const firsts = name
    .split(/\s+/)
    .map((word) => new Intl.Segmenter().segment(word)[Symbol.iterator]().next());
  return firsts
    .flatMap(({ value }) => value?.segment ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase();
}

/** A round picture with the initials, in a colour that stays with the person. */
export function avatar(id: string, name: string): HTMLElement {
  const circle = h('span', { class: 'avatar', 'aria-hidden': 'true' }, initials(name));
  const hue = [...id].reduce((sum, digit) => (sum * 31 + digit.charCodeAt(0)) % 360, 7);
  circle.style.setProperty('--hue', String(hue));
  return circle;
}

/** Something with a person's name in the colour of their role, as bright or dark as each theme needs to be readable. */
export function colored<Made extends HTMLElement>(element: Made, color: number): Made {
  element.classList.add('name');
  if (color === 0) return element;
  element.style.setProperty('--on-dark', readable(color, 255));
  element.style.setProperty('--on-light', readable(color, 0));
  return element;
}

/** The colour, moved towards white (255) or black (0) until it has 4.5:1 on the page's backgrounds of that theme. */
function readable(color: number, towards: 0 | 255): string {
  const target = towards === 255 ? 0.33 : 0.13;
  let channels = [(color >> 16) & 255, (color >> 8) & 255, color & 255];
  for (let step = 0; step < 20; step += 1) {
    const light = luminance(channels);
    if (towards === 255 ? light >= target : light <= target) break;
    channels = channels.map((channel) => Math.round(channel + (towards - channel) * 0.1));
  }
  return `rgb(${channels.join(' ')})`;
}

/** Relative luminance (WCAG 2.2). */
function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
