'use client';

import type { Locale, Namespace } from '@bailiff/messages';
import type { ReactNode } from 'react';
import { IntlProvider } from 'use-intl/react';
import { messagesHere } from '#components/messages-here';

interface Props {
  locale: Locale;
  namespaces: readonly Namespace[];
  /** The messages of these namespaces for a browser. */
  compiled: object;
  children: ReactNode;
}

/**
 * Provides the messages and the language of the page to `useTranslations`. Times are shown in UTC (see RelativeTime).
 */
export function MessagesProvider({ locale, namespaces, compiled, children }: Props) {
  return (
    <IntlProvider locale={locale} messages={messagesHere(locale, namespaces, compiled)} timeZone="UTC">
      {children}
    </IntlProvider>
  );
}
