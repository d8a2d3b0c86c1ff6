import { headers } from 'next/headers';
import type { ReactNode } from 'react';
export default async function L({ children }: { children: ReactNode }) {
  await headers();
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
