import { readFileSync } from 'node:fs';
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

  it('may join short options, of which the last takes what follows', () => {
    const bans = 'https://b.example/api/public/v1/guilds/2/bans';
    for (const line of [
      `curl -sXDELETE ${bans}/3`,
      `curl -sX DELETE ${bans}/3`,
      `curl -fsSLX DELETE -- ${bans}/3`,
      `curl ${bans}/3 -kiXDELETE`,
    ]) {
      expect(read(line), line).toMatchObject({ method: 'DELETE', path: '/api/public/v1/guilds/2/bans/3' });
    }
    expect(read(`curl -sSd{} -sHOrigin:https://x.example ${bans}`)).toMatchObject({
      method: 'POST',
      path: '/api/public/v1/guilds/2/bans',
      body: '{}',
      sentOrigin: 'https://x.example',
    });
  });

  it('has the address that its options leave, whatever their values look like', () => {
    for (const options of [
      '--cacert /etc/ssl/own.pem',
      '-K /home/me/.curlrc',
      '-x http://proxy.example:3128',
      '-sx http://proxy.example:3128',
      '--retry 3 --retry-delay 2',
      '--referer https://b.example/api/public/v1/me',
      '--resolve b.example:443:127.0.0.1',
      '--not-known-yet /some/file',
    ]) {
      expect(read(`curl ${options} https://b.example/api/public/v1/me`), options).toMatchObject({
        method: 'GET',
        path: '/api/public/v1/me',
        origin: 'https://b.example',
      });
    }
  });

  it('has the address that --url names, whatever else looks like one', () => {
    for (const line of [
      'curl --url https://b.example/api/x --not-known-yet https://other.example/y',
      'curl --not-known-yet https://other.example/y --url https://b.example/api/x',
    ])
      expect(read(line), line).toMatchObject({ path: '/api/x', origin: 'https://b.example' });
  });

  it('sends with the method that its options stand for', () => {
    const strikes = 'https://b.example/api/public/v1/guilds/2/strikes';
    expect(read(`curl ${strikes} --data-urlencode 'reason=a b&c'`)).toMatchObject({
      method: 'POST',
      body: 'reason=a%20b%26c',
    });
    expect(read(`curl -G ${strikes} -d limit=2 --data-urlencode 'cursor=a b'`)).toMatchObject({
      method: 'GET',
      path: '/api/public/v1/guilds/2/strikes?limit=2&cursor=a%20b',
      body: null,
      contentType: null,
    });
    expect(read(`curl -sI ${strikes}`)).toMatchObject({ method: 'HEAD' });
    expect(read(`curl -T body.json ${strikes}`)).toMatchObject({ method: 'PUT' });
    expect(read(`curl -F reason=x ${strikes}`)).toMatchObject({
      method: 'POST',
      contentType: 'multipart/form-data',
    });
  });

  it('may name the address and the guild as the guide does', () => {
    for (const line of [
      'curl -s "$BAILIFF/api/public/v1/guilds/$GUILD/bans?limit=10" -H "Authorization: Bearer $TOKEN"',
      `curl -s "$\{BAILIFF}/api/public/v1/guilds/$\{GUILD}/bans?limit=10"`,
      'curl -s $API/guilds/$GUILD/bans?limit=10',
      'curl -s $API/bans?limit=10',
      'curl -s b.example/api/public/v1/guilds/$GUILD/bans?limit=10',
    ]) {
      expect(read(line), line).toMatchObject({
        method: 'GET',
        path: `/api/public/v1/guilds/${GUILD}/bans?limit=10`,
        origin: null,
      });
    }
    expect(read('curl "$BAILIFF/api/public/v1/me"')?.path).toBe('/api/public/v1/me');
  });

  it('says in its body which guild is meant where a shell would, as the guide does when it confirms', () => {
    const guide = readFileSync(new URL('../../../docs/public-api.md', import.meta.url), 'utf8');
    const line = /^curl -s -X POST "\$BAILIFF[^`]*_confirmation[^`]*/m.exec(guide)?.[0] ?? '';
    const { user_id, _confirmation } = JSON.parse(read(line)?.body ?? '');
    expect(_confirmation).toBe(`BAN USER ${user_id} IN GUILD ${GUILD} PERMANENT`);

    const bodyOf = (word: string) => read(`curl -d ${word} $API/bans`)?.body;
    expect(bodyOf(`"in $GUILD, $\{GUILD}"`)).toBe(`in ${GUILD}, ${GUILD}`);
    expect(bodyOf(`'in $GUILD'`), 'a shell leaves it').toBe('in $GUILD');
    expect(bodyOf('"in \\$GUILD and $GUILDS"'), 'a shell leaves it, or means another').toBe(
      'in $GUILD and $GUILDS',
    );
  });

  it('ends where the shell ends the command: what other commands are told is not meant for curl', () => {
    const bans = 'https://b.example/api/public/v1/guilds/2/bans';
    for (const behind of [
      ' | grep -F griefing',
      '|grep -F griefing',
      ' |& tee -d log',
      ' | head -c 300; date -I',
      '; date -I',
      ' && curl -X GET https://b.example/api/public/v1/me',
      ' || curl -I https://b.example/api/public/v1/me',
      ' & curl -d {} https://b.example/api/public/v1/me',
      '\ncurl -X GET https://b.example/api/public/v1/me',
      '\r\n-X GET',
      ' # -X GET',
      ' --next -X GET https://b.example/api/public/v1/me',
      ' -: -I https://b.example/api/public/v1/me',
    ]) {
      expect(read(`curl -s ${bans}${behind}`), behind).toMatchObject({ method: 'GET', body: null });
      const expected = { method: 'DELETE', path: '/api/public/v1/guilds/2/bans/3', body: null };
      expect(read(`curl -X DELETE ${bans}/3${behind}`), behind).toMatchObject(expected);
    }
  });

  it('goes on behind files that it reads or writes, and what only looks like the end of a command', () => {
    const bans = 'https://b.example/api/public/v1/guilds/2/bans';
    for (const between of [
      '> out.json',
      '>out.json',
      '>> /tmp/out.json',
      '>| out.json',
      '2>/dev/null',
      '2> /dev/null',
      '2>&1',
      '&> out.json',
      '&>> out.json',
      '> "out of it.json"',
      '< in.json',
      '<<< "-I"',
      "-H 'X: a | b; c && d # e > f'",
      '-H X:\\|\\;\\&\\>\\#',
      '-H "X: $(cat header | head -c 3; date)"',
      '-H X:$(cat header | head -c 3; date)',
      '-H "X: $(jq -n "a; b" | wc) \\$(c"',
      '-K <(echo -s; echo -S)',
      '^\n',
      '`\r\n',
    ]) {
      const expected = { method: 'DELETE', path: '/api/public/v1/guilds/2/bans/3', body: null };
      for (const line of [`curl ${between} -X DELETE ${bans}/3`, `curl ${bans}/3 ${between} -X DELETE`])
        expect(read(line), line).toMatchObject(expected);
    }
    expect(read(`curl ${bans}?limit=10#top -X HEAD`)).toMatchObject({ method: 'HEAD' });
  });

  it('leaves out the part of the address behind “#”, which no client sends', () => {
    const bans = '/api/public/v1/guilds/2/bans?limit=10';
    expect(read(`curl https://b.example${bans}#top`)?.path).toBe(bans);
  });

  it('without an address is none', () => {
    for (const text of ['curl -s', 'curl -X DELETE', 'curl --cacert /etc/own.pem', 'curl DELETE'])
      expect(read(text), text).toBeNull();
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
