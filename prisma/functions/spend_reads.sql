-- Charges reads that arrived together to both budgets of their tokens, with the same result as if spend_budgets charged
-- one after the other: both or neither, in the order of their numbers. Returns for each what spend_budgets returns. Tokens
-- that are charged and were not used lately get a new last use.
--
-- A token has one issuer. So once an issuer's budget is empty, no further call of theirs is charged, and it is enough to
-- number the calls of each token and then, of those that its budget admits, the calls of each issuer.
--
-- All of it may be lost if the machine stops within the next moments (synchronous_commit off). That is accepted for
-- reads (decisions: Audit).
CREATE OR REPLACE FUNCTION spend_reads(
  p_nos int[], p_guild_ids text[], p_token_ids text[], p_user_ids text[], p_used_lately boolean[], p_capacity float8,
  p_refill_per_minute float8
) RETURNS TABLE (
  call_no int, refused_by text, retry_after_seconds float8, token_balance float8, user_balance float8
) LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  guilds text[];
  holders text[];
BEGIN
  IF p_nos IS NULL THEN RETURN; END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  -- The order in which every call locks budgets: by guild, and tokens before their issuers, as in spend_budgets.
  SELECT array_agg(guild_id ORDER BY guild_id, is_user, id), array_agg(id ORDER BY guild_id, is_user, id)
  INTO guilds, holders
  FROM (
    SELECT guild_id, false AS is_user, id FROM unnest(p_guild_ids, p_token_ids) AS token (guild_id, id)
    UNION
    SELECT guild_id, true, id FROM unnest(p_guild_ids, p_user_ids) AS issuer (guild_id, id)
  ) AS holder;

  -- Rows are made before any is locked, so that nobody waits for a row while holding a lock that its maker wants.
  INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
  SELECT holder.guild_id, holder.id, 'read', p_capacity, clock_timestamp()
  FROM unnest(guilds, holders) AS holder (guild_id, id)
  WHERE NOT EXISTS (
    SELECT FROM budgets WHERE guild_id = holder.guild_id AND holder_id = holder.id AND tier = 'read' OFFSET 0)
  ON CONFLICT DO NOTHING;

  RETURN QUERY
  WITH locked AS MATERIALIZED (
    -- LATERAL with FOR UPDATE always reads through the index, whatever the planner knows about the table.
    SELECT holder.guild_id, holder.id, budget.balance, budget.updated_at
    FROM unnest(guilds, holders) AS holder (guild_id, id)
    CROSS JOIN LATERAL (
      SELECT * FROM budgets WHERE guild_id = holder.guild_id AND holder_id = holder.id AND tier = 'read' FOR UPDATE
    ) AS budget
  ), moment AS MATERIALIZED (
    SELECT max(clock_timestamp()) AS at FROM locked -- after the last lock: the time spent waiting refills too
  ), held AS MATERIALIZED (
    SELECT guild_id, id, updated_at, at,
           least(p_capacity, balance + greatest(0, extract(epoch FROM at - updated_at)) * p_refill_per_minute / 60)::float8
             AS balance
    FROM moment, locked
  ), calls AS MATERIALIZED (
    SELECT call.*, of_token.balance AS token_had, of_user.balance AS user_had,
           row_number() OVER (PARTITION BY call.guild_id, token_id ORDER BY no) <= of_token.balance + 1e-9 AS fits_token
    FROM unnest(p_nos, p_guild_ids, p_token_ids, p_user_ids, p_used_lately)
      AS call (no, guild_id, token_id, user_id, used_lately)
    JOIN held AS of_token ON of_token.guild_id = call.guild_id AND of_token.id = token_id
    JOIN held AS of_user ON of_user.guild_id = call.guild_id AND of_user.id = user_id
  ), fitting AS MATERIALIZED (
    SELECT calls.*, fits_token
      AND count(*) FILTER (WHERE fits_token) OVER (PARTITION BY guild_id, user_id ORDER BY no) <= user_had + 1e-9 AS fits
    FROM calls
  ), charged AS MATERIALIZED (
    SELECT fitting.*,
      greatest(0, token_had - count(*) FILTER (WHERE fits) OVER (PARTITION BY guild_id, token_id ORDER BY no)) AS token_has,
      greatest(0, user_had - count(*) FILTER (WHERE fits) OVER (PARTITION BY guild_id, user_id ORDER BY no)) AS user_has
    FROM fitting
  ), left_over AS (
    SELECT guild_id, token_id AS id, min(token_has) AS balance FROM charged WHERE fits GROUP BY guild_id, token_id
    UNION ALL
    SELECT guild_id, user_id, min(user_has) FROM charged WHERE fits GROUP BY guild_id, user_id
    UNION ALL
    -- The clock went back. A budget refills from now on, so that it does not stay empty until the clock has caught up
    -- (hazards H10).
    SELECT guild_id, id, balance FROM held WHERE updated_at > at AND NOT EXISTS (
      SELECT FROM charged WHERE fits AND charged.guild_id = held.guild_id AND held.id IN (token_id, user_id))
  ), spent AS (
    INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
    SELECT guild_id, id, 'read', balance, at FROM left_over, moment
    ON CONFLICT (guild_id, holder_id, tier) DO UPDATE SET balance = excluded.balance, updated_at = excluded.updated_at
  ), touched AS (
    UPDATE tokens SET last_used_at = clock_timestamp() WHERE id IN (
      SELECT id FROM tokens WHERE id = ANY (ARRAY(SELECT token_id FROM charged WHERE fits AND NOT used_lately))
        AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')
      -- A token that is being changed is left alone, so that nobody waits for this batch and for that change at once.
      FOR UPDATE SKIP LOCKED)
  )
  SELECT no, CASE WHEN NOT fits THEN CASE WHEN token_has <= user_has THEN 'token' ELSE 'user' END END,
    CASE WHEN NOT fits THEN (1 - least(token_has, user_has)) * 60 / p_refill_per_minute END, token_has, user_has
  FROM charged;
END
$$;
