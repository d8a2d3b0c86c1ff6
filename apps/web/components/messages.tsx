import type { Namespace } from '@bailiff/messages';
import type { ReactNode } from 'react';
import { currentLocale } from '#src/messages.ts';
import { compiledPageMessages } from '#src/page-messages.ts';
import { MessagesProvider } from './messages-provider.tsx';

interface Props {
  /** The namespaces that the components inside need, besides those that every page gets. */
  namespaces?: readonly Namespace[];
  children: ReactNode;
}

/** The namespaces that every page gets. */
const EVERYWHERE: readonly Namespace[] = ['common', 'failure', 'session', 'ui'];

/** Sends the browser the messages that the client components inside use with `useTranslations`. */
export async function Messages({ namespaces = [], children }: Props) {
  const locale = await currentLocale();
  const needed = [...EVERYWHERE, ...namespaces];
  return (
    <MessagesProvider locale={locale} namespaces={needed} compiled={compiledPageMessages(locale, needed)}>
      {children}
    </MessagesProvider>
  );
}
