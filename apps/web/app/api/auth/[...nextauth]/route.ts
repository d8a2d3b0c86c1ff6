import type { NextRequest } from 'next/server';
import NextAuth from 'next-auth';
import { authOptions, cancelledSignIn, isCancelled } from '#src/auth.ts';
import { runtime } from '#src/runtime.ts';

type Context = { params: Promise<{ nextauth: string[] }> };

async function handle(request: NextRequest, context: Context): Promise<Response> {
  if (isCancelled(request.nextUrl))
    return Response.redirect(cancelledSignIn(runtime().config.dashboardUrl), 302);
  return NextAuth(request, context, authOptions(runtime(), request));
}

export { handle as GET, handle as POST };
