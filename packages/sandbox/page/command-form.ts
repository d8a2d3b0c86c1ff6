import type { CommandItem, View } from '../src/page/wire.ts';
import type { AttachedFile } from './attached-file.ts';
import { interact } from './client.ts';
import { h } from './dom.ts';
import { OptionField } from './option-field.ts';
import type { SuggestionList } from './suggest.ts';

/** A chosen command in the composer: a field for each option. Enter runs it, Escape gives it up. */
export class CommandForm {
  readonly element: HTMLElement;
  readonly #command: CommandItem;
  readonly #seen: View;
  readonly #list: SuggestionList;
  readonly #onDone: () => void;
  readonly #row = h('div', { class: 'options' });
  readonly #more = h('div', { class: 'row more-options' });
  readonly #error = h('p', { class: 'error', role: 'alert' });
  readonly #run = h('button', { type: 'submit', class: 'primary' }, 'Run');
  readonly #fields: OptionField[] = [];
  #isSent = false;

  /** @param values what is filled in already, by the names of options */
  constructor(
    command: CommandItem,
    seen: View,
    list: SuggestionList,
    values: Readonly<Record<string, string>>,
    onDone: () => void,
  ) {
    this.#command = command;
    this.#seen = seen;
    this.#list = list;
    this.#onDone = onDone;
    this.element = h(
      'form',
      { class: 'command', novalidate: true, 'aria-label': `/${command.label}` },
      h(
        'div',
        { class: 'row' },
        h('strong', null, `/${command.label}`),
        h('span', { class: 'small grow' }, command.description),
        h(
          'button',
          { type: 'button', class: 'plain', 'aria-label': `Give up /${command.label}`, onclick: onDone },
          '×',
        ),
      ),
      this.#row,
      h('div', { class: 'row' }, this.#more, this.#run),
      this.#error,
    );
    for (const option of command.options) {
      if (option.required || values[option.name] !== undefined) this.#add(option, values[option.name]);
    }
    this.#offerMore();
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send();
    });
  }

  focus(): void {
    const next = this.#fields.find((field) => field.value === undefined) ?? this.#fields.at(-1);
    (next?.input ?? this.#run).focus();
  }

  #add(option: CommandItem['options'][number], value?: string): OptionField {
    const field = new OptionField(
      option,
      this.#seen,
      this.#list,
      () => ({ command: this.#command.words, options: this.#values() }),
      () => this.#next(),
    );
    if (value !== undefined) field.set(value);
    this.#fields.push(field);
    this.#row.append(field.element);
    return field;
  }

  /** A button for each option that may be left out and has no field yet. */
  #offerMore(): void {
    const left = this.#command.options.filter(
      (option) => !this.#fields.some((field) => field.option === option),
    );
    this.#more.replaceChildren(
      ...left.map((option) => {
        const add = () => {
          const field = this.#add(option);
          this.#offerMore();
          field.input.focus();
        };
        return h(
          'button',
          { type: 'button', class: 'chip', title: option.description, onclick: add },
          `+ ${option.label}`,
        );
      }),
    );
  }

  /** After a choice: the next field that must be filled in, if there is one. */
  #next(): void {
    this.#fields.find(({ option, value }) => option.required && value === undefined)?.input.focus();
  }

  #values(): Record<string, string | AttachedFile> {
    return Object.fromEntries(
      this.#fields.flatMap(({ option, value }) => (value === undefined ? [] : [[option.name, value]])),
    );
  }

  #key(event: KeyboardEvent): void {
    if (this.#list.key(event)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      this.#onDone();
    }
  }

  async #send(): Promise<void> {
    if (this.#isSent) return;
    this.#error.replaceChildren();
    for (const field of this.#fields) field.complain('');
    const missing = this.#fields.find(({ option, value }) => option.required && value === undefined);
    if (missing !== undefined) {
      missing.complain('This option is required.');
      missing.input.focus();
      return;
    }
    this.#isSent = true;
    this.#list.hide();
    const body = { type: 'command', command: this.#command.words, options: this.#values() };
    const error = await interact(body);
    this.#isSent = false;
    if (error === null) {
      this.#onDone();
      return;
    }
    const [, name = '', words = error] = /^options\.([^:]+): (.*)$/s.exec(error) ?? [];
    const wrong = this.#fields.find(({ option }) => option.name === name);
    if (wrong === undefined) this.#error.replaceChildren(words);
    else {
      wrong.complain(words);
      wrong.input.focus();
    }
  }
}
