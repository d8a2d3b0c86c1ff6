import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { Messages } from '#components/messages.tsx';
import { Toasts } from '#components/ui/toast.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { currentTheme } from '#src/pages.ts';
import './globals.css';

export async function generateMetadata(): Promise<Metadata> {
  const t = await messagesFor('shell');
  return {
    title: { template: '%s · Bailiff', default: 'Bailiff' },
    description: t('description'),
    robots: { index: false },
  };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const t = await messagesFor('ui');
  return (
    <html lang={await currentLocale()} data-theme={await currentTheme()}>
      <body>
        <a
          href="#content"
          className="bg-accent-solid absolute top-2 left-2 z-50 -translate-y-20 rounded-md px-3 py-2 text-white focus:translate-y-0"
        >
          {t('skipToContent')}
        </a>
        <Messages>
          {children}
          <Toasts />
        </Messages>
      </body>
    </html>
  );
}
