-- What was done to people on a game server is listed on its page, by the server.
CREATE INDEX "actions_sanctions_idx" ON "actions" ("guild_id", ("input"->>'server_id'), "id")
  WHERE "operation" = 'servers.sanction';
