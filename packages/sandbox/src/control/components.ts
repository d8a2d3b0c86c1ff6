import { ControlError } from '#src/errors.ts';
import { isObject, type JsonObject } from '#src/fields.ts';

/** Every component of a message or modal, including those inside containers. */
function flatten(components: unknown): JsonObject[] {
  if (!Array.isArray(components)) return [];
  return components
    .filter(isObject)
    .flatMap((component) => [
      component,
      ...flatten(component.components),
      ...flatten(isObject(component.component) ? [component.component] : []),
      ...flatten(isObject(component.accessory) ? [component.accessory] : []),
    ]);
}

/** The component with a custom id. Throws a ControlError if there is none or it is disabled. */
export function usable(components: unknown, customId: string): JsonObject {
  const all = flatten(components).filter((component) => typeof component.custom_id === 'string');
  const found = all.find((component) => component.custom_id === customId);
  if (!found) {
    const known = all.map((component) => String(component.custom_id)).join(', ') || 'none';
    throw new ControlError(404, `custom_id: there is no ${customId} there; usable are: ${known}.`);
  }
  if (found.disabled === true) throw new ControlError(409, `custom_id: ${customId} is disabled.`);
  return found;
}

/** The submitted modal in Discord's format: the modal's structure with values instead of labels. */
export function fillModal(components: unknown, values: Readonly<Record<string, unknown>>): JsonObject[] {
  if (!Array.isArray(components)) return [];
  return components.filter(isObject).map((component, index) => {
    const base = {
      type: component.type,
      id: typeof component.id === 'number' ? component.id : index + 1,
    };
    if (Array.isArray(component.components)) {
      return { ...base, components: fillModal(component.components, values) };
    }
    if (isObject(component.component)) {
      return { ...base, component: fillModal([component.component], values)[0] };
    }
    const customId = component.custom_id;
    if (typeof customId !== 'string') return base;
    return { ...base, custom_id: customId, ...answerTo(component, customId, values[customId]) };
  });
}

function answerTo(component: JsonObject, customId: string, given: unknown): JsonObject {
  const isText = component.type === 4;
  if (!isText) return { values: chosenOf(component, customId, given) };
  const value = given === undefined ? String(component.value ?? '') : String(given);
  const least = typeof component.min_length === 'number' ? component.min_length : 0;
  const most = typeof component.max_length === 'number' ? component.max_length : 4000;
  if (value === '' && component.required !== false) {
    throw new ControlError(400, `fields.${customId}: this field of the modal is required.`);
  }
  if (value !== '' && (value.length < least || value.length > most)) {
    throw new ControlError(400, `fields.${customId}: must be ${least} to ${most} characters long.`);
  }
  return { value };
}

/** The chosen values of a select menu in a modal; by default those that the modal preselects. */
function chosenOf(component: JsonObject, customId: string, given: unknown): string[] {
  const options = Array.isArray(component.options) ? component.options.filter(isObject) : [];
  const byDefault = options.filter((option) => option.default === true).map(({ value }) => value);
  const chosen = (given === undefined ? byDefault : [given].flat()).map(String);
  const foreign = chosen.find((value) => !options.some((option) => option.value === value));
  // Menus for users, roles and channels have no list of options.
  if (component.type === 3 && foreign !== undefined) {
    throw new ControlError(400, `fields.${customId}: ${foreign} is not one of its options.`);
  }
  if (chosen.length === 0 && component.required !== false) {
    throw new ControlError(400, `fields.${customId}: this field of the modal is required.`);
  }
  return chosen;
}
