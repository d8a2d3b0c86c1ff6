-- Charges one call to the token's and the issuer's budget of a tier, or to neither (spec §8).
--
-- refused_by is 'token' or 'user' when that budget is empty, else null. The balances are those after the call.
-- `spendBoth` in packages/core/src/budgets.ts is the same rule as a model; a test compares the two.
CREATE OR REPLACE FUNCTION spend_budgets(
  p_guild_id text, p_token_id text, p_user_id text, p_tier text, p_capacity float8, p_refill_per_minute float8,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql
-- A connection keeps a cached plan. A plan from when the table was small would always read the whole table.
SET enable_seqscan = off AS $$
DECLARE
  token_at timestamptz;
  user_at timestamptz;
  moment timestamptz;
BEGIN
  LOOP
    -- Always lock the token's row first, so that two tokens of one user cannot deadlock.
    SELECT t.balance, t.updated_at, u.balance, u.updated_at INTO token_balance, token_at, user_balance, user_at
    FROM budgets t, budgets u
    WHERE t.guild_id = p_guild_id AND t.holder_id = p_token_id AND t.tier = p_tier
      AND u.guild_id = p_guild_id AND u.holder_id = p_user_id AND u.tier = p_tier
    FOR UPDATE OF t, u;
    EXIT WHEN FOUND;
    INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
    VALUES (p_guild_id, p_token_id, p_tier, p_capacity, clock_timestamp()),
           (p_guild_id, p_user_id, p_tier, p_capacity, clock_timestamp())
    ON CONFLICT DO NOTHING;
  END LOOP;

  moment := clock_timestamp(); -- after the locks: the time spent waiting for them refills too
  token_balance := least(p_capacity, token_balance
    + greatest(0, extract(epoch FROM moment - token_at)) * p_refill_per_minute / 60);
  user_balance := least(p_capacity, user_balance
    + greatest(0, extract(epoch FROM moment - user_at)) * p_refill_per_minute / 60);

  IF greatest(token_at, user_at) > moment THEN
    -- The clock went back. The budgets refill from now on, so that they do not stay empty until the clock has caught up
    -- (hazards H10).
    UPDATE budgets SET updated_at = least(updated_at, moment)
    WHERE guild_id = p_guild_id AND holder_id IN (p_token_id, p_user_id) AND tier = p_tier;
  END IF;

  IF least(token_balance, user_balance) < 1 - 1e-9 THEN
    refused_by := CASE WHEN token_balance <= user_balance THEN 'token' ELSE 'user' END;
    retry_after_seconds := (1 - least(token_balance, user_balance)) * 60 / p_refill_per_minute;
    RETURN;
  END IF;
  token_balance := greatest(0, token_balance - 1);
  user_balance := greatest(0, user_balance - 1);
  UPDATE budgets
  SET balance = CASE holder_id WHEN p_token_id THEN token_balance ELSE user_balance END,
      updated_at = moment
  WHERE guild_id = p_guild_id AND holder_id IN (p_token_id, p_user_id) AND tier = p_tier;
END
$$;
