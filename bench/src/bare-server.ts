// The smallest server that can answer the same request: node:http and pg, and two prepared statements, one that finds
// the token and what it may do and charges both budgets, and one that reads the page. No limits, no audit, no log, no
// envelope.
import { createServer } from 'node:http';
import { hashSecret } from '@bailiff/core';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 20,
  // As Bailiff does for reads.
  options: '-c synchronous_commit=off',
});

const ADMIT = `SELECT t.guild_id, g.tier, g.owner_id, (SELECT capabilities FROM granted_to(t.guild_id, t.issuer_id)) AS granted,
    g.mirror_fresh, t.revoked_at, t.expires_at,
    (SELECT w.id FROM windows w WHERE w.token_id = t.id AND window_is_open(w.opened_at, w.expires_at, w.closed_at) LIMIT 1) AS win,
    s.refused_by
  FROM tokens t JOIN live_guilds g ON g.id = t.guild_id
  CROSS JOIN LATERAL spend_budgets(t.guild_id, t.id, t.issuer_id, 'read', 120, 60) AS s
  WHERE t.secret_hash = $1`;

const PAGE = `SELECT id, case_number, user_id, reason, issued_by, issued_at, severity, category, player_name, in_game_id,
    ended_by, ended_at FROM cases WHERE guild_id = $1 AND kind = 'strike' ORDER BY id DESC LIMIT $2`;

const server = createServer(async (request, response) => {
  const secret = (request.headers.authorization ?? '').slice('Bearer '.length);
  const admitted = await pool.query({ name: 'admit', text: ADMIT, values: [hashSecret(secret)] });
  const token = admitted.rows[0];
  if (token === undefined || token.refused_by !== null) {
    response.writeHead(token === undefined ? 401 : 429).end();
    return;
  }
  const page = await pool.query({ name: 'page', text: PAGE, values: [token.guild_id, 10] });
  const body = JSON.stringify({ data: page.rows });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
});

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
