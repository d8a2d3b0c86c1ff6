import { join } from 'node:path';
import { PHASE_PRODUCTION_BUILD } from 'next/constants.js';

// Plain JavaScript: Next would load its compiler at each start to read TypeScript, and production does not have it.
/** @type {import('next').NextConfig} */
const config = {
  // The packages of the workspace are TypeScript, which Next does not compile in node_modules by default.
  transpilePackages: ['@bailiff/core', '@bailiff/engine', '@bailiff/messages', '@bailiff/prisma'],
  serverExternalPackages: [
    '@prisma/adapter-pg',
    '@prisma/client',
    '@prisma/schema-engine-wasm',
    'graphile-worker',
    // The library of next-auth for OAuth. If it is bundled, Node warns of what it calls as if it were our own code.
    'openid-client',
    'pg',
    'pino',
    'rate-limiter-flexible',
  ],
  turbopack: {
    root: join(import.meta.dirname, '../..'),
    resolveAlias: {
      // Browsers get compiled messages (src/page-messages.ts), and need no parser for them.
      'use-intl/react': { browser: './components/intl-in-browser.tsx' },
    },
    // The documents (src/documents/files.ts) are texts.
    rules: { '*.md': { condition: { query: '?raw' }, type: 'text' } },
  },
  // The typecheck script checks the types. A build must not fail because a test does not compile.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  // `src/server.ts` sets headers and limits and serves the APIs; Next only renders pages.
  compress: true,
  // Otherwise Next fetches whatever path `/_next/image` names from itself, past the limits in front of it.
  images: { unoptimized: true },
  reactStrictMode: true,
  rewrites: async () =>
    ['', '/decisions'].map((folder) => ({
      source: `/docs${folder}/:slug([\\w-]+).md`,
      destination: `/docs/markdown${folder}/:slug`,
    })),
};

/** @param {string} phase */
export default async function configOf(phase) {
  if (phase !== PHASE_PRODUCTION_BUILD) return config;
  const smaller = await import('./smaller-modules.mjs');
  const { turbopack } = config;
  return {
    ...config,
    turbopack: {
      ...turbopack,
      resolveAlias: { ...turbopack?.resolveAlias, ...smaller.resolveAlias },
      rules: { ...turbopack?.rules, ...smaller.rules },
    },
  };
}
