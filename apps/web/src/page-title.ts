import { showUnseen } from '@bailiff/core';
import type { Translator } from '@bailiff/messages';
import type { Metadata } from 'next';
import { unstable_rethrow } from 'next/navigation';
import { messagesFor } from './messages.ts';
import { numberOf } from './page-query.ts';
import type { SettingsSection } from './settings-sections.ts';

/**
 * The title of a page's tab, from the texts of the navigation: `generateMetadata = () => pageTitle((t) => t('cases'))`.
 */
export async function pageTitle(say: (t: Translator<'shell'>) => string): Promise<Metadata> {
  return { title: say(await messagesFor('shell')) };
}

/** The same for the page of one thing of a list, whose number tells its tab from those of others. */
export async function numberedTitle(
  params: Promise<{ number: string }>,
  say: (t: Translator<'shell'>) => string,
): Promise<Metadata> {
  const [{ number }, t] = await Promise.all([params, messagesFor('shell')]);
  return { title: numberOf(number) === undefined ? say(t) : `#${number} · ${say(t)}` };
}

/** The same for the page of somebody or something with a name. Null: the reader may not learn it. */
export async function namedTitle(
  name: Promise<string | null>,
  say: (t: Translator<'shell'>) => string,
): Promise<Metadata> {
  const [named, t] = await Promise.all([name.catch(unnamed), messagesFor('shell')]);
  return { title: named === null ? say(t) : `${showUnseen(named)} · ${say(t)}` };
}

/** The page itself fails too, and says so; without its title, what is shown could not stay (kept.tsx). */
function unnamed(error: unknown): null {
  unstable_rethrow(error);
  return null;
}

/** The same for a section of the settings. */
export async function sectionTitle(section: SettingsSection): Promise<Metadata> {
  const t = await messagesFor('settings');
  return namedTitle(Promise.resolve(t(`sections.${section}`)), (shell) => shell('settings'));
}
