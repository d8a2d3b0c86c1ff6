import type { Component, Modal, View } from '../src/page/wire.ts';
import { interact } from './client.ts';
import { type Child, h, present } from './dom.ts';
import { formatted, type NameOf } from './markdown.ts';
import { failed, notify, openDialog } from './overlays.ts';

const LOOKS: Readonly<Record<number, string>> = { 1: 'primary', 3: 'success', 4: 'danger' };
const PICKERS: readonly number[] = [3, 5, 6, 7, 8];
const TEXT_INPUT = 4;
const PARAGRAPH = 2;

/** The components of a message: buttons, menus to choose from, texts and what groups them. */
export function componentNode(component: Component, messageId: string, seen: View, nameOf: NameOf): Child {
  const act = async (type: string, more: object, control: HTMLButtonElement | HTMLSelectElement) => {
    control.disabled = true;
    const body = { type, message_id: messageId, custom_id: component.custom_id, ...more };
    const error = await interact(body);
    control.disabled = false;
    notify(error);
  };
  const inner = (component.components ?? []).map((each) => componentNode(each, messageId, seen, nameOf));
  if (component.type === 2) {
    const label = component.label ?? 'Button';
    if (component.url !== undefined) {
      return h(
        'a',
        { class: 'button', href: component.url, rel: 'noreferrer noopener', target: '_blank' },
        label,
      );
    }
    const button = h(
      'button',
      { type: 'button', class: LOOKS[component.style ?? 2] ?? null, disabled: component.disabled === true },
      label,
    );
    button.addEventListener('click', () => act('button', {}, button));
    return button;
  }
  if (PICKERS.includes(component.type)) {
    const select = picker(component, seen);
    select.setAttribute('aria-label', component.placeholder ?? 'Choose');
    select.disabled = component.disabled === true;
    if (!select.multiple) {
      select.addEventListener('change', () => act('select', { values: chosenIn(select) }, select));
      return select;
    }
    const send = h('button', { type: 'button' }, 'Choose');
    send.addEventListener('click', () => act('select', { values: chosenIn(select) }, send));
    return h('div', { class: 'row' }, select, send);
  }
  if (component.type === 10)
    return h('div', { class: 'text' }, ...formatted(component.content ?? '', nameOf));
  if (component.type === 14) return h('hr', null);
  const side = component.accessory && componentNode(component.accessory, messageId, seen, nameOf);
  return h('div', { class: component.type === 17 ? 'embed' : 'row' }, ...inner, side);
}

function chosenIn(select: HTMLSelectElement): string[] {
  return [...select.selectedOptions].map(({ value }) => value).filter((value) => value !== '');
}

/** A menu of the bot's own options, or of the people, roles and channels of the guild. */
function picker(component: Component, seen: View): HTMLSelectElement {
  const named = (items: readonly { id: string; name: string }[], mark: string) =>
    items.map(({ id, name }) => ({
      label: `${mark}${name}`,
      value: id,
      default: false,
      description: undefined,
    }));
  const channels = seen.channels.filter(({ kind }) => kind !== 'category');
  const own: Readonly<Record<number, () => ReturnType<typeof named>>> = {
    5: () => named(seen.members, ''),
    6: () => named(seen.roles, '@'),
    7: () => [...named(seen.members, ''), ...named(seen.roles, '@')],
    8: () => named(channels, '#'),
  };
  const isMultiple = (component.max_values ?? 1) > 1;
  const select = h('select', { multiple: isMultiple });
  if (!isMultiple) select.append(new Option(component.placeholder ?? 'Choose…', ''));
  for (const { label, value, default: isDefault, description } of own[component.type]?.() ??
    component.options ??
    []) {
    const option = new Option(description ? `${label} — ${description}` : label, value, isDefault, isDefault);
    select.append(option);
  }
  return select;
}

/** Opens a form that the bot asks to be filled in. The sandbox's refusals show at the field they are about. */
export function openModal(id: string, modal: Modal, seen: View, nameOf: NameOf): void {
  openDialog(modal.title, (close) => {
    const form = h('form', { class: 'form', novalidate: true });
    const controls = new Map<string, HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>();
    form.append(
      ...present([
        h('p', { class: 'small' }, `This form goes to ${seen.bot.name}. Do not share passwords.`),
        ...modal.components.flatMap((component) => fieldsOf(component, seen, nameOf, controls)),
        h('p', { class: 'error', role: 'alert' }),
        h(
          'div',
          { class: 'row end' },
          h('button', { type: 'button', onclick: close }, 'Cancel'),
          h('button', { class: 'primary' }, 'Submit'),
        ),
      ]),
    );
    const submit = async () => {
      for (const control of controls.values()) complain(control, '');
      form.querySelector('[role="alert"]')?.replaceChildren();
      const typed = [...controls].map(([name, control]) => [name, typedIn(control)]);
      const body = { type: 'modal', interaction_id: id, fields: Object.fromEntries(typed) };
      const error = await interact(body);
      if (error === null) return close();
      const [, name = '', words = error] = /^fields\.([^:]+): (.*)$/s.exec(error) ?? [];
      const control = controls.get(name);
      if (control) complain(control, words);
      else form.querySelector('[role="alert"]')?.replaceChildren(error);
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void submit().catch(failed);
    });
    return [form];
  });
}

function typedIn(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): string | string[] {
  return control instanceof HTMLSelectElement ? chosenIn(control) : control.value;
}

function complain(control: HTMLElement, words: string): void {
  const line = document.getElementById(`${control.id}-error`);
  line?.replaceChildren(words);
  control.setAttribute('aria-invalid', String(words !== ''));
  if (words !== '') control.focus();
}

type Controls = Map<string, HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>;

function fieldsOf(component: Component, seen: View, nameOf: NameOf, controls: Controls): Child[] {
  if (component.type === 10)
    return [h('div', { class: 'text' }, ...formatted(component.content ?? '', nameOf))];
  // A label (18) has the words, and what they are for is inside; an older form has rows of inputs with labels.
  if (component.component) {
    const { label, description } = component;
    const words = {
      ...(label === undefined ? {} : { label }),
      ...(description === undefined ? {} : { description }),
    };
    return fieldsOf({ ...component.component, ...words }, seen, nameOf, controls);
  }
  if (component.components)
    return component.components.flatMap((each) => fieldsOf(each, seen, nameOf, controls));
  const name = component.custom_id;
  if (name === undefined) return [];
  const isText = component.type === TEXT_INPUT;
  const control = !isText
    ? picker(component, seen)
    : component.style === PARAGRAPH
      ? h('textarea', { rows: 4 })
      : h('input', { autocomplete: 'off' });
  const isRequired = component.required !== false;
  control.id = `field-${controls.size}`;
  control.required = isRequired;
  control.setAttribute('aria-describedby', `${control.id}-error`);
  if (!(control instanceof HTMLSelectElement)) {
    control.value = component.value ?? '';
    control.placeholder = component.placeholder ?? '';
    control.maxLength = component.max_length ?? 4000;
  }
  controls.set(name, control);
  return [
    h(
      'div',
      { class: 'field' },
      h('label', { for: control.id }, component.label ?? name, isRequired ? '' : ' (optional)'),
      component.description !== undefined && h('span', { class: 'small' }, component.description),
      control,
      h('span', { class: 'error', id: `${control.id}-error` }),
    ),
  ];
}
