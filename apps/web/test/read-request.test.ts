import { describe, expect, it } from 'vitest';
import { readRequest } from '#components/guard/read-request.ts';

const GUILD = '100000000000000001';
const read = (text: string) => readRequest(text, GUILD);

describe('a curl line', () => {
  it('is read with its headers and its body, over several lines and quotes', () => {
    const text = `curl -sS -X POST "https://bailiff.example/api/public/v1/guilds/${GUILD}/bans" \\
      -H 'Authorization: Bearer svcpat_${'0'.repeat(44)}ABCD' \\
      -H "Content-Type: application/json" --max-time 9 \\
      -d '{"user_id":"1","reason":"it'\\''s \\"raid\\""}'`;
    expect(read(text)).toEqual({
      method: 'POST',
      path: `/api/public/v1/guilds/${GUILD}/bans`,
      origin: 'https://bailiff.example',
      body: '{"user_id":"1","reason":"it\'s \\"raid\\""}',
      contentType: 'application/json',
      sentOrigin: null,
      idempotencyKey: null,
      secretEnd: 'ABCD',
    });
  });

  it('is a GET without data, a POST with it, and says what curl would say', () => {
    expect(read('curl https://b.example/api/public/v1/me')).toMatchObject({ method: 'GET', body: null });
    expect(read('curl -d {} https://b.example/api/public/v1/me')).toMatchObject({
      method: 'POST',
      body: '{}',
      contentType: 'application/x-www-form-urlencoded',
    });
    expect(read('curl --json {} https://b.example/x')).toMatchObject({ contentType: 'application/json' });
    expect(read('curl -XDELETE --url=https://b.example/api/x')).toMatchObject({
      method: 'DELETE',
      path: '/api/x',
    });
  });

  it('goes on in the next line, also where lines end as on Windows', () => {
    const lines = ['curl -X POST \\', "-H 'Idempotency-Key: k' \\", 'https://b.example/api/public/v1/me'];
    for (const end of ['\n', '\r\n']) {
      expect(read(lines.join(end))).toMatchObject({
        method: 'POST',
        path: '/api/public/v1/me',
        idempotencyKey: 'k',
      });
    }
  });

  it('without an address is none', () => {
    expect(read('curl -s')).toBeNull();
  });
});

describe('a method and a path', () => {
  it('are read with the headers and the body below them', () => {
    const text = `POST /bans HTTP/1.1\nOrigin: https://x.example\nIdempotency-Key: k\n\n{\n  "user_id": "1"\n}`;
    expect(read(text)).toMatchObject({
      method: 'POST',
      path: `/api/public/v1/guilds/${GUILD}/bans`,
      origin: null,
      body: '{\n  "user_id": "1"\n}',
      contentType: null,
      sentOrigin: 'https://x.example',
      idempotencyKey: 'k',
    });
  });

  it('may leave out what is the same for all', () => {
    expect(read('get /strikes?limit=10')?.path).toBe(`/api/public/v1/guilds/${GUILD}/strikes?limit=10`);
    expect(read('GET /me')?.path).toBe('/api/public/v1/me');
    expect(read('GET /guilds/2/strikes')?.path).toBe('/api/public/v1/guilds/2/strikes');
    expect(read('GET /api/public/v1/me')?.path).toBe('/api/public/v1/me');
  });
});

it('anything else is no request', () => {
  for (const text of ['', 'hello', 'GET', 'ban this user', '{"user_id":"1"}'])
    expect(read(text), text).toBeNull();
});
