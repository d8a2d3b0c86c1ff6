// What people do who use no mouse.
import { expect, type Locator, type Page } from '@playwright/test';

const MOST_TABS = 120;

/** Tabs until the focus is there. @throws Error when Tab does not lead there, or leads into a trap before */
export async function reach(target: Locator): Promise<void> {
  await target.waitFor();
  const page = target.page();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if ((await page.locator(':focus').and(target).count()) === 1) return expectFocusShown(page);
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} is not reached by Tab.`);
}

/** Presses a button or follows a link with Enter. */
export async function press(target: Locator): Promise<void> {
  await reach(target);
  await target.page().keyboard.press('Enter');
}

/** Types into a field in place of what stands there. */
export async function type(field: Locator, text: string): Promise<void> {
  await reach(field);
  const { keyboard } = field.page();
  await keyboard.press('Control+a');
  await keyboard.type(text);
}

/** One can see which option of a field's list Enter would choose. It does not have the focus, which stays in the field. */
export async function expectChoiceShown(field: Locator): Promise<void> {
  const id = await field.getAttribute('aria-activedescendant');
  await expect(field.page().locator(`[id="${id}"]`)).toHaveCSS('outline-style', 'solid');
}

/** @throws Error when one cannot see what has the focus */
async function expectFocusShown(page: Page): Promise<void> {
  const [hidden] = await page.evaluate<string[]>(`(${HIDDEN_FOCUS})([document.activeElement])`);
  if (hidden !== undefined) throw new Error(`The focus is not shown on ${hidden}.`);
}

/** What can have the focus in a page, and does not look different then. */
export async function focusNotShown(page: Page): Promise<string[]> {
  // Browsers show the focus to those who have used the keyboard.
  await page.keyboard.press('Tab');
  return page.evaluate<string[]>(`(${HIDDEN_FOCUS})(
    [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(
      (element) => !element.disabled && element.type !== 'hidden' && element.checkVisibility(),
    ),
  )`);
}

/** @throws Error when something else, such as a bar that stays in view, lies over what has the focus */
export async function expectNothingOverFocus(page: Page): Promise<void> {
  const over = await page.evaluate<string | null>(`(() => {
    const { left, right, top, bottom } = document.activeElement.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return document.activeElement.contains(there) ? null : (there?.outerHTML ?? 'the edge of the window');
  })()`);
  if (over !== null) throw new Error(`Over what has the focus lies ${over}.`);
}

/** The heading of the page that has the focus because what had it is gone. */
export function focusedHeading(page: Page): Locator {
  return page.getByRole('main').getByRole('heading').and(page.locator(':focus'));
}

/** In the page: the HTML of those elements whose focus has neither outline nor shadow. */
const HIDDEN_FOCUS = `(elements) => elements.filter((element) => {
  element.focus({ preventScroll: true });
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  return (outlineStyle === 'none' || outlineWidth === '0px') && boxShadow === 'none';
}).map(({ outerHTML }) => outerHTML)`;
