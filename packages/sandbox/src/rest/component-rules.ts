import { ComponentType } from 'discord-api-types/v10';
import { invalidForm } from '#src/errors.ts';
import { isObject, type JsonObject } from '#src/fields.ts';

const MOST_ROWS = 5;
const MOST_IN_ROW = 5;
const LONGEST_INPUT = 4000;

/** Throws 50035 for components that Discord's description allows one by one, and Discord does not take together. */
export function refuseBadComponents(rows: readonly JsonObject[]): void {
  if (rows.filter(({ type }) => type === ComponentType.ActionRow).length > MOST_ROWS) {
    throw invalidForm('components', 'BASE_TYPE_BAD_LENGTH', `Must be ${MOST_ROWS} or fewer in length.`);
  }
  const seen = new Set<unknown>();
  rows.forEach((row, at) => {
    const parts = [row.components, row.component].flat().filter(isObject);
    const isFull = parts.length > MOST_IN_ROW || (parts.length > 1 && parts.some(isSelect));
    if (row.type === ComponentType.ActionRow && isFull) {
      const message = 'The specified component exceeds the maximum width';
      throw invalidForm(`components.${at}.components`, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', message);
    }
    if (typeof row.label === 'string') requireText(`components.${at}.label`, row.label);
    parts.forEach((part, index) => {
      const field = `components.${at}.components.${index}`;
      const { custom_id: customId } = part;
      if (customId !== undefined && seen.has(customId)) {
        const message = 'Component custom id cannot be duplicated';
        throw invalidForm(`${field}.custom_id`, 'COMPONENT_CUSTOM_ID_DUPLICATED', message);
      }
      seen.add(customId);
      refuseBadOptions(field, part);
      refuseBadDefault(field, part);
    });
  });
}

function isSelect({ type }: JsonObject): boolean {
  return type !== ComponentType.Button && type !== ComponentType.TextInput;
}

function refuseBadOptions(field: string, { options }: JsonObject): void {
  if (!Array.isArray(options)) return;
  const seen = new Set<unknown>();
  options.filter(isObject).forEach(({ label, value }, index) => {
    requireText(`${field}.options.${index}.label`, label);
    requireText(`${field}.options.${index}.value`, value);
    if (seen.has(value)) {
      const message = 'The specified option value is already used';
      throw invalidForm(
        `${field}.options.${index}.value`,
        'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
        message,
      );
    }
    seen.add(value);
  });
}

/** A field for text cannot begin with more, or less, than may be typed into it. */
function refuseBadDefault(
  field: string,
  { type, value, min_length: least, max_length: most }: JsonObject,
): void {
  if (type !== ComponentType.TextInput || typeof value !== 'string' || value === '') return;
  const [min, max] = [Number(least ?? 0), Number(most ?? LONGEST_INPUT)];
  if (value.length >= min && value.length <= max) return;
  throw invalidForm(`${field}.value`, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}

/** Throws 50035 for a text of white space, which Discord takes for none. */
export function requireText(field: string, text: unknown): void {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw invalidForm(field, 'BASE_TYPE_REQUIRED', 'This field is required');
}
