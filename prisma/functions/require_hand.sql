-- A trigger at the end of the transaction, for rows that the web process changed itself: somebody who may do that must
-- act in this transaction, as record_change or submit_call noted. So a web process under foreign control can change
-- nothing for which no person's session and no token's secret was shown, and nothing without an audit row.
--
-- Its first argument says who may: 'owner' of the row's guild, in the dashboard, or the capability that whoever was
-- admitted to act in the guild must hold there; 'case' is the capability for the kind of the case, or of the one that
-- the column case_id names. The second is the
-- column with the guild's id. The others are columns that, if they change, must be that person's id.
CREATE OR REPLACE FUNCTION require_hand() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) ELSE '{}' END;
  after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) ELSE '{}' END;
  guild text;
  needed text := CASE WHEN TG_ARGV[0] <> 'case' THEN TG_ARGV[0] ELSE
    CASE coalesce(after->>'kind', before->>'kind', (SELECT kind::text FROM cases WHERE id = after->>'case_id'))
      WHEN 'ban' THEN 'bans.write' WHEN 'softban' THEN 'bans.write' WHEN 'kick' THEN 'bans.write' WHEN 'mute' THEN 'mutes.write' ELSE 'strikes.write' END END;
  hand record;
  is_owner boolean;
  name text;
BEGIN
  SELECT * INTO hand FROM acting();
  FOREACH guild IN ARRAY ARRAY[before->>TG_ARGV[1], after->>TG_ARGV[1]] LOOP
    CONTINUE WHEN guild IS NULL;
    is_owner := EXISTS (SELECT FROM guilds WHERE id = guild AND owner_id = hand.user_id);
    CONTINUE WHEN CASE needed WHEN 'owner' THEN is_owner AND hand.source = 'dashboard'
      ELSE hand.guild_id = guild
        AND (is_owner OR needed = ANY (ARRAY(SELECT unnest(capabilities) FROM granted_to(guild, hand.user_id)))) END;
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
