'use client';

import { createContext, type ReactNode, useContext } from 'react';

const Rendering = createContext('');

/** Says to what is in it when the server rendered the page. @param props.at as ISO 8601 */
export function RenderedAt({ at, children }: { at: string; children: ReactNode }) {
  return <Rendering value={at}>{children}</Rendering>;
}

/**
 * When the server rendered the page. It changes whenever the page is brought up to date, so what was asked for besides
 * can be asked for again.
 */
export function useRendering(): string {
  return useContext(Rendering);
}
