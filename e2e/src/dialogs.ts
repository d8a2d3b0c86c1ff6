import type { Page } from '@playwright/test';

export const DIALOG = '[role="dialog"], [role="alertdialog"]';

/** Every dialog by its page: what is pressed there until it opens. */
export const DIALOGS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  tokens: [
    ['Create token'],
    ['More for night-watch', 'Renew …'],
    ['More for night-watch', 'Rotate …'],
    ['More for night-watch', 'Edit …'],
    ['More for night-watch', 'Revoke …'],
  ],
  cases: [['Search …'], ['Views'], ['Display']],
  'settings-reasons': [['Add a reason']],
  servers: [['Add server'], ['Edit Survival'], ['Remove Survival']],
  'cases-one': [['Change'], ['Remove the strike']],
  'members-one': [['Warn'], ['Strike'], ['Mute'], ['Kick'], ['Softban'], ['Ban']],
  sessions: [['Sign out everywhere']],
  'tickets-one': [['Close ticket']],
};

/** Presses buttons one after the other, until a dialog is open. */
export async function openDialog(page: Page, labels: readonly string[]): Promise<void> {
  for (const label of labels) {
    const button = page.getByRole('button', { name: label, exact: true });
    await button
      .or(page.getByRole('menuitem', { name: label, exact: true }))
      .first()
      .click();
  }
  await page.locator(DIALOG).first().waitFor();
}
