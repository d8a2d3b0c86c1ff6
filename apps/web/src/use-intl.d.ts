import type { Locale, Messages } from '@bailiff/messages';

// Keys and arguments of messages are checked by the compiler in every component.
declare module 'use-intl' {
  interface AppConfig {
    Locale: Locale;
    Messages: Messages;
  }
}
