-- Files the appeal of a person against a case of theirs that is in force, and writes its audit row. A case has one
-- appeal: a second one changes nothing.
--
-- p has: named (the id of the case, or of the action that opened it), questions (those that the person saw), answers,
--   language, request_id, and, as record_change, actor_user_id and session_proof.
-- Returns { status: filed | exists | missing | changed | invalid | too_many } | { status: too_soon, until }. `missing`
-- does not say whether there is such a case: it may be somebody else's, or its guild may take no appeals.
CREATE OR REPLACE FUNCTION file_appeal(p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  person text := person_of(p);
  appealed cases;
  settings appeal_settings;
  until timestamptz;
  filed text;
BEGIN
  -- A person's appeals come one after the other, so that each one counts those before it.
  PERFORM pg_advisory_xact_lock(hashtextextended('appeals:' || person, 0));
  SELECT c.* INTO appealed FROM cases c
  WHERE c.user_id = person AND (c.id = p->>'named' OR c.action_id = p->>'named')
    AND case_is_in_force(c.ended_at, c.expires_at)
  ORDER BY c.id LIMIT 1
  FOR SHARE OF c;
  SELECT s.* INTO settings FROM appeal_settings s JOIN guilds g ON g.id = s.guild_id AND g.left_at IS NULL
  WHERE s.guild_id = appealed.guild_id AND appealed.kind = ANY (s.kinds);
  IF settings.guild_id IS NULL THEN
    RETURN '{"status": "missing"}';
  END IF;
  IF EXISTS (SELECT FROM appeals WHERE case_id = appealed.id) THEN
    RETURN '{"status": "exists"}';
  END IF;
  IF p->'questions' IS DISTINCT FROM to_jsonb(settings.questions) THEN
    RETURN '{"status": "changed"}';
  END IF;
  IF jsonb_array_length(p->'answers') <> cardinality(settings.questions) OR EXISTS (
      SELECT FROM jsonb_array_elements_text(p->'answers') AS answer
      WHERE (length(answer) BETWEEN 1 AND 2000) IS NOT TRUE) THEN
    RETURN '{"status": "invalid"}';
  END IF;
  SELECT max(decided_at) + make_interval(days => settings.cooldown_days) INTO until FROM appeals
  WHERE user_id = person AND guild_id = settings.guild_id AND state = 'refused';
  IF until > clock_timestamp() THEN
    RETURN jsonb_build_object('status', 'too_soon', 'until', iso_time(until));
  END IF;
  IF (SELECT count(*) FROM appeals WHERE user_id = person AND sent_at > clock_timestamp() - interval '1 day') >= 5
    OR (SELECT count(*) FROM (SELECT FROM appeals
          WHERE guild_id = settings.guild_id AND state IN ('sent', 'in_review') LIMIT 500) AS waiting) >= 500 THEN
    RETURN '{"status": "too_many"}';
  END IF;
  INSERT INTO appeals (guild_id, case_id, user_id, language, answers)
  VALUES (settings.guild_id, appealed.id, person, p->>'language', (
    SELECT jsonb_agg(jsonb_build_object('question', question, 'answer', answer) ORDER BY place)
    FROM ROWS FROM (unnest(settings.questions), jsonb_array_elements_text(p->'answers'))
      WITH ORDINALITY AS asked (question, answer, place)))
  RETURNING id INTO filed;
  -- Without the address: the audit log is the guild's, and the person may have left it for a reason.
  PERFORM audit_change(jsonb_build_object('guild_id', settings.guild_id, 'operation', 'appeals.file',
    'target_type', 'appeal', 'target_id', filed, 'request_id', p->'request_id'), person);
  RETURN '{"status": "filed"}';
END
$$;
