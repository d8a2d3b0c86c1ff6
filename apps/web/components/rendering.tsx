'use client';

import { createContext, type ReactNode, useContext } from 'react';

const Rendering = createContext('');

/** Tells the parts of a page when the server rendered it. @param props.at as ISO 8601 */
export function RenderedAt({ at, children }: { at: string; children: ReactNode }) {
  return <Rendering value={at}>{children}</Rendering>;
}

/**
 * When the server rendered the page. It changes whenever the page is brought up to date, so that a part of it which asks
 * the API for more can ask again.
 */
export function useRendering(): string {
  return useContext(Rendering);
}
