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
  const needed = [...EVERYWHERE, ...namespaces].map((name) => [name, CATALOGUES[locale][name]]);
  return (
    <MessagesProvider locale={locale} messages={Object.fromEntries(needed)}>
      {children}
    </MessagesProvider>
  );
}
