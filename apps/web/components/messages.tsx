import type { Namespace } from '@bailiff/messages';
import { CATALOGUES } from '@bailiff/messages/dashboard';
import type { ReactNode } from 'react';
import { currentLocale } from '#src/messages.ts';
import { MessagesProvider } from './messages-provider.tsx';

interface Props {
  /** What the components inside say, besides what all of them may. */
  namespaces?: readonly Namespace[];
  children: ReactNode;
}

/** For every page, without being named. */
const EVERYWHERE: readonly Namespace[] = ['common', 'session', 'ui'];

/** Sends the browser the messages that the client components inside say with `useTranslations`. */
export async function Messages({ namespaces = [], children }: Props) {
  const locale = await currentLocale();
  const all = CATALOGUES[locale];
  const needed = [...EVERYWHERE, ...namespaces].map((name) => [
    name,
    name === 'operations' ? wordsForBrowser(all.operations) : all[name],
  ]);
  return (
    <MessagesProvider locale={locale} messages={Object.fromEntries(needed)}>
      {children}
    </MessagesProvider>
  );
}

/** What operations are called, and what the dashboard's buttons for them say: all the browser says of their words. */
function wordsForBrowser(words: object): object {
  return 'name' in words
    ? { name: words.name, ...('dashboard' in words ? { dashboard: words.dashboard } : {}) }
    : Object.fromEntries(Object.entries(words).map(([key, inner]) => [key, wordsForBrowser(inner)]));
}
