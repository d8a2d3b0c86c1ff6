import type { OptionItem, View } from '../src/page/wire.ts';
import { type AttachedFile, readFile } from './attached-file.ts';
import { suggestions } from './client.ts';
import { h } from './dom.ts';
import type { Suggestion, SuggestionList } from './suggest.ts';

/** Discord's numbers for kinds of options. */
const Kind = { boolean: 5, user: 6, channel: 7, role: 8, mentionable: 9, attachment: 11 } as const;
const TYPING_PAUSE_MS = 200;
const MOST_SHOWN = 50;

interface Choice {
  readonly label: string;
  readonly value: string;
  readonly detail?: string;
}

/** One option of a command while it is filled in. */
export class OptionField {
  readonly option: OptionItem;
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #error = h('span', { class: 'error' });
  readonly #list: SuggestionList;
  readonly #choices: readonly Choice[] | null;
  readonly #typedSoFar: () => { command: string; options: object };
  readonly #onChosen: () => void;
  #chosen: Choice | null = null;
  #attached: AttachedFile | undefined;
  #asked = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param typedSoFar what the bot is told when it suggests values
   * @param onChosen called when a suggestion has filled the field
   */
  constructor(
    option: OptionItem,
    seen: View,
    list: SuggestionList,
    typedSoFar: () => { command: string; options: object },
    onChosen: () => void,
  ) {
    this.option = option;
    this.#list = list;
    this.#choices = choicesOf(option, seen);
    this.#typedSoFar = typedSoFar;
    this.#onChosen = onChosen;
    const id = `option-${option.name}`;
    this.#error.id = `${id}-error`;
    this.input = h('input', {
      id,
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': `${id}-about ${id}-error`,
    });
    this.input.required = option.required;
    if (option.type === Kind.attachment) this.input.type = 'file';
    if (this.#choices !== null || option.autocomplete) list.prepare(this.input);
    this.input.addEventListener('input', () => {
      this.#chosen = null;
      this.complain('');
      void this.#attach();
      this.suggest();
    });
    this.input.addEventListener('focus', () => this.suggest());
    this.input.addEventListener('blur', () => {
      clearTimeout(this.#pause);
      list.hide();
    });
    this.element = h(
      'div',
      { class: 'option' },
      h(
        'label',
        { for: id },
        option.label,
        option.required ? '' : h('span', { class: 'small' }, ' (optional)'),
      ),
      this.input,
      h('span', { class: 'small about', id: `${id}-about` }, option.description),
      this.#error,
    );
  }

  /** What is sent; undefined for an empty field. A name that was typed out counts as chosen. */
  get value(): string | AttachedFile | undefined {
    if (this.option.type === Kind.attachment) return this.#attached;
    const typed = this.input.value.trim();
    if (typed === '') return undefined;
    if (this.#chosen !== null) return this.#chosen.value;
    const named = this.#choices?.find(
      ({ label }) => label.toLowerCase() === typed.toLowerCase().replace(/^[@#]/, ''),
    );
    return named?.value ?? typed;
  }

  set(value: string): void {
    this.#chosen = this.#choices?.find((choice) => choice.value === value) ?? null;
    this.input.value = this.#chosen?.label ?? value;
  }

  complain(words: string): void {
    this.#error.replaceChildren(words);
    this.input.setAttribute('aria-invalid', String(words !== ''));
  }

  /** Reads the chosen file. */
  async #attach(): Promise<void> {
    const [file] = this.input.files ?? [];
    this.#attached = file && (await readFile(file));
  }

  suggest(): void {
    clearTimeout(this.#pause);
    this.#list.hide();
    if (this.#chosen !== null) return;
    if (this.#choices !== null) this.#show(matching(this.#choices, this.input.value), true);
    else if (this.option.autocomplete) this.#pause = setTimeout(() => void this.#ask(), TYPING_PAUSE_MS);
  }

  async #ask(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const found = await suggestions({ ...this.#typedSoFar(), focused: this.option.name });
    if (asked !== this.#asked || document.activeElement !== this.input || this.#chosen !== null) return;
    this.#show(
      found.map(({ name, value }) => ({ label: name, value: String(value) })),
      false,
    );
  }

  #show(choices: readonly Choice[], isOneOfThem: boolean): void {
    const items: Suggestion[] = choices.slice(0, MOST_SHOWN).map((choice) => ({
      label: choice.label,
      ...(choice.detail === undefined ? {} : { detail: choice.detail }),
      choose: () => {
        this.#chosen = choice;
        this.input.value = choice.label;
        this.#onChosen();
      },
    }));
    // An empty field that may stay empty is not filled by Enter.
    this.#list.show(this.input, items, isOneOfThem && (this.option.required || this.input.value !== ''));
  }
}

function matching(choices: readonly Choice[], typed: string): Choice[] {
  const wanted = typed.trim().toLowerCase().replace(/^[@#]/, '');
  const starts = ({ label }: Choice) => label.toLowerCase().startsWith(wanted);
  return choices
    .filter(({ label, detail = '' }) => `${label} ${detail}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => Number(starts(other)) - Number(starts(one)));
}

/** What one must choose from; null where one may type anything. */
function choicesOf({ type, choices }: OptionItem, seen: View): Choice[] | null {
  const here = new Set(seen.members.map(({ id }) => id));
  const users = [
    ...seen.members.map(({ id, name, username }) => ({ label: name, value: id, detail: username })),
    ...Object.entries(seen.names)
      .filter(([id]) => !here.has(id))
      .map(([id, name]) => ({ label: name, value: id, detail: 'not in this server' })),
  ];
  const roles = seen.roles.map(({ id, name }) => ({ label: name, value: id, detail: 'role' }));
  if (choices.length > 0) return [...choices];
  if (type === Kind.user) return users;
  if (type === Kind.role) return roles;
  if (type === Kind.mentionable) return [...users, ...roles];
  if (type === Kind.channel) {
    return seen.channels.map(({ id, name, kind }) => ({ label: name, value: id, detail: kind }));
  }
  if (type === Kind.boolean) return ['True', 'False'].map((label) => ({ label, value: label.toLowerCase() }));
  return null;
}
