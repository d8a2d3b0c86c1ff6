import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions } from '#src/auth.ts';
import { runtime } from '#src/runtime.ts';

type Context = { params: Promise<{ nextauth: string[] }> };

async function handle(request: NextRequest, context: Context): Promise<Response> {
  return NextAuth(request, context, authOptions(runtime(), request));
}

export { handle as GET, handle as POST };
