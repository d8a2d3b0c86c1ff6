import type { Namespace } from '@bailiff/messages';
import { CATALOGUES } from '@bailiff/messages/dashboard';
import type { ReactNode } from 'react';
import { currentLocale } from '#src/messages.ts';
import { MessagesProvider } from './messages-provider.tsx';

interface Props {
  /** The namespaces that the components inside need, besides those that every page gets. */
  namespaces?: readonly Namespace[];
  children: ReactNode;
}

/** The namespaces that every page gets. */
const EVERYWHERE: readonly Namespace[] = ['common', 'session', 'ui'];

/** Sends the browser the messages that the client components inside use with `useTranslations`. */
export async function Messages({ namespaces = [], children }: Props) {
  const locale = await currentLocale();
  const all = CATALOGUES[locale];
  const needed = [...EVERYWHERE, ...namespaces].map((name) => [
    name,
    name === 'operations' ? textsForBrowser(all.operations) : all[name],
  ]);
  return (
    <MessagesProvider locale={locale} messages={Object.fromEntries(needed)}>
      {children}
    </MessagesProvider>
  );
}

/** The names of operations and of their cases, and the texts of the dashboard's buttons: the browser needs no others. */
function textsForBrowser(words: object): object {
  if (!('name' in words)) {
    return Object.fromEntries(Object.entries(words).map(([key, inner]) => [key, textsForBrowser(inner)]));
  }
  return {
    name: words.name,
    ...('dashboard' in words ? { dashboard: words.dashboard } : {}),
    ...('case' in words ? { case: textsForBrowser(words.case as object) } : {}),
  };
}
