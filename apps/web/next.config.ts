import { join } from 'node:path';
import type { NextConfig } from 'next';

const config: NextConfig = {
  // The packages of the workspace are TypeScript, which Next leaves alone in node_modules unless told.
  transpilePackages: ['@bailiff/core', '@bailiff/engine', '@bailiff/messages', '@bailiff/prisma'],
  serverExternalPackages: [
    '@prisma/adapter-pg',
    '@prisma/client',
    '@prisma/schema-engine-wasm',
    'graphile-worker',
    'pg',
    'pino',
    'rate-limiter-flexible',
  ],
  turbopack: { root: join(import.meta.dirname, '../..') },
  // The types are checked with those of everything else; a test that does not compile must not keep it from starting.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  // `src/server.ts` answers with its own headers and limits; Next renders pages, nothing else.
  compress: true,
  reactStrictMode: true,
};

export default config;
