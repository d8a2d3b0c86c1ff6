-- A trigger at the end of the transaction, for rows that the web process changed itself: somebody who may do that must
-- act in this transaction, as record_change or submit_call noted. So a web process under foreign control can change
-- nothing for which no person's session and no token's secret was shown, and nothing without an audit row.
--
-- Its first argument says who may: 'owner' of the row's guild, in the dashboard, or the capability that whoever was
-- admitted to act in the guild must hold there; 'case' is the capability for the kind of the case that the row is or
-- that its column case_id names, and 'case_link' that for one of the two. Such cases must be of the row's guild. The
-- second is the column with the guild's id. The others are columns that, if they change, must be that person's id.
CREATE OR REPLACE FUNCTION require_hand() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) ELSE '{}' END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE '{}' END;
  guild text;
  row jsonb := before || after;
  needed text[] := CASE TG_ARGV[0]
    WHEN 'case' THEN ARRAY(SELECT case_writer(kind::text) FROM cases
      WHERE id = coalesce(row->>'case_id', row->>'id') AND guild_id = row->>'guild_id')
    WHEN 'case_link' THEN ARRAY(SELECT case_writer(kind::text) FROM cases
      WHERE id IN (row->>'case_id', row->>'other_id') AND guild_id = row->>'guild_id')
    ELSE ARRAY[TG_ARGV[0]] END;
  wanted int := CASE TG_ARGV[0] WHEN 'case_link' THEN 2 ELSE 1 END;
  hand record;
  is_owner boolean;
  name text;
BEGIN
  SELECT * INTO hand FROM acting();
  FOREACH guild IN ARRAY ARRAY[before->>TG_ARGV[1], after->>TG_ARGV[1]] LOOP
    CONTINUE WHEN guild IS NULL;
    is_owner := EXISTS (SELECT FROM guilds WHERE id = guild AND owner_id = hand.user_id);
    CONTINUE WHEN CASE needed[1] WHEN 'owner' THEN is_owner AND hand.source = 'dashboard'
      ELSE hand.guild_id = guild AND cardinality(needed) = wanted
        AND (is_owner OR needed && ARRAY(SELECT unnest(capabilities) FROM granted_to(guild, hand.user_id))) END;
    RAISE EXCEPTION 'The web process may change % only for somebody who may do so.', TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END LOOP;
  FOREACH name IN ARRAY coalesce(TG_ARGV[2:], '{}') LOOP
    IF after->>name IS DISTINCT FROM before->>name AND after->>name <> hand.user_id THEN
      RAISE EXCEPTION '% of % must be who changes it.', name, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
