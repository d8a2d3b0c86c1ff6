import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { currentTheme } from '../src/pages.ts';
import './globals.css';

export const metadata: Metadata = {
  title: { template: '%s · Bailiff', default: 'Bailiff' },
  description: 'Moderation for Discord guilds, where nothing destructive happens without consent.',
  robots: { index: false },
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" data-theme={await currentTheme()}>
      <body>
        <a
          href="#content"
          className="bg-accent-solid absolute top-2 left-2 z-50 -translate-y-20 rounded-md px-3 py-2 text-white focus:translate-y-0"
        >
          Skip to the content
        </a>
        {children}
      </body>
    </html>
  );
}
