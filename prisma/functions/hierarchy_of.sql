-- after: views/live_guilds
-- What the mirror knows of who stands above whom in a guild: its owner, its roles, and those of the bot and of who acts.
-- No row while the mirror is not trusted. A table function in SQL, so that the planner folds it into the query that asks.
CREATE OR REPLACE FUNCTION hierarchy_of(p_guild_id text, p_actor_user_id text) RETURNS TABLE (hierarchy jsonb)
LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('owner_id', g.owner_id, 'requires_two_factor', g.requires_two_factor,
    'bot_user_id', s.bot_user_id, 'bot_role_ids', bot.role_ids,
    'actor_role_ids', actor.role_ids, 'actor_username', actor.username,
    'roles', (SELECT jsonb_agg(jsonb_build_object('id', id, 'position', position, 'permissions', permissions::text))
      FROM roles WHERE guild_id = g.id))
  FROM live_guilds g
  JOIN gateway_shards s ON s.shard_id = g.shard_id
  LEFT JOIN members bot ON bot.guild_id = g.id AND bot.user_id = s.bot_user_id
  LEFT JOIN members actor ON actor.guild_id = g.id AND actor.user_id = p_actor_user_id
  WHERE g.id = p_guild_id AND g.mirror_fresh
$$;
