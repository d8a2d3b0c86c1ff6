import { h } from './dom.ts';

/** One thing that can be chosen. */
export interface Suggestion {
  readonly label: string;
  readonly detail?: string;
  readonly group?: string;
  readonly choose: () => void;
}

let made = 0;

/** The list above the composer, from which one chooses while typing: with the arrow keys and Enter, or the pointer. */
export class SuggestionList {
  readonly element: HTMLElement;
  readonly #id = `suggestions-${made++}`;
  #items: readonly Suggestion[] = [];
  #at = -1;
  #input: HTMLElement | null = null;

  constructor() {
    this.element = h('div', {
      class: 'suggestions',
      role: 'listbox',
      id: this.#id,
      'aria-label': 'Suggestions',
      hidden: true,
    });
    // The field keeps the focus.
    this.element.addEventListener('pointerdown', (event) => event.preventDefault());
  }

  /** Makes the field one that has suggestions. */
  prepare(input: HTMLElement): void {
    // A field of several lines cannot be a combobox; it says by its list that it has suggestions.
    const isLine = input instanceof HTMLInputElement;
    const own = isLine ? { role: 'combobox', 'aria-expanded': 'false' } : { 'aria-haspopup': 'listbox' };
    const attributes = { ...own, 'aria-autocomplete': 'list', 'aria-controls': this.#id };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  }

  /** @param first whether the first one is what Enter chooses, before the arrow keys were used */
  show(input: HTMLElement, items: readonly Suggestion[], first: boolean): void {
    this.hide();
    if (items.length === 0) return;
    this.#items = items;
    this.#input = input;
    let group: HTMLElement | null = null;
    let groupName: string | undefined;
    const children: HTMLElement[] = [];
    items.forEach((item, index) => {
      if (item.group !== undefined && item.group !== groupName) {
        groupName = item.group;
        group = h(
          'div',
          { role: 'group', 'aria-label': groupName },
          h('div', { class: 'menu-group', 'aria-hidden': 'true' }, groupName),
        );
        children.push(group);
      }
      const option = h(
        'div',
        {
          role: 'option',
          id: `${this.#id}-${index}`,
          'aria-selected': 'false',
          onclick: () => this.#choose(index),
        },
        h('span', { class: 'label' }, item.label),
        item.detail !== undefined && h('span', { class: 'small' }, item.detail),
      );
      if (group === null) children.push(option);
      else group.append(option);
    });
    this.element.replaceChildren(...children);
    this.element.hidden = false;
    this.element.scrollTop = 0;
    if (input.role === 'combobox') input.ariaExpanded = 'true';
    if (first) this.#mark(0);
  }

  hide(): void {
    this.#items = [];
    this.#at = -1;
    this.element.hidden = true;
    this.element.replaceChildren();
    if (this.#input?.role === 'combobox') this.#input.ariaExpanded = 'false';
    this.#input?.removeAttribute('aria-activedescendant');
    this.#input = null;
  }

  /** Takes the keys that are for the list. Returns whether this was one. */
  key(event: KeyboardEvent): boolean {
    if (this.#items.length === 0 || event.isComposing) return false;
    const count = this.#items.length;
    if (event.key === 'ArrowDown') this.#mark((this.#at + 1) % count);
    else if (event.key === 'ArrowUp') this.#mark(this.#at <= 0 ? count - 1 : this.#at - 1);
    else if (event.key === 'Escape') this.hide();
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && this.#at >= 0)
      this.#choose(this.#at);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #choose(index: number): void {
    const item = this.#items[index];
    this.hide();
    item?.choose();
  }

  #mark(index: number): void {
    this.#at = index;
    for (const option of this.element.querySelectorAll('[role="option"]')) {
      const isMarked = option.id === `${this.#id}-${index}`;
      option.setAttribute('aria-selected', String(isMarked));
      if (isMarked) option.scrollIntoView({ block: 'nearest' });
    }
    this.#input?.setAttribute('aria-activedescendant', `${this.#id}-${index}`);
  }
}
