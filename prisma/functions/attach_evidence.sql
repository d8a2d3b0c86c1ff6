-- Records what was attached to an action that is about to be submitted, before the files are fetched from Discord: so
-- nothing is lost if the bot ends at any moment after that. The case that the action opens gets it (trigger
-- follow_opened_cases). Without a case it is deleted (dropLapsed).
--
-- p has: guild_id; action_id, or null for a new one; case_id, of a case that is open already, or null; messages:
--   [{channel_id, message_id, author_id, text}]; files: [{url, name, bytes, problem}].
-- Returns { action_id, files: [{id, url, bytes}] }: those to be fetched. The job is for the case that its caller ends
-- before it has fetched them.
CREATE OR REPLACE FUNCTION attach_evidence(p jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  action text := coalesce(p->>'action_id', new_id('act'));
  each jsonb;
  waiting jsonb := '[]';
  file evidence;
BEGIN
  INSERT INTO case_messages (guild_id, case_id, action_id, channel_id, message_id, author_id, text)
  SELECT p->>'guild_id', p->>'case_id', action, m->>'channel_id', m->>'message_id', m->>'author_id', m->>'text'
  FROM jsonb_array_elements(p->'messages') AS m;
  FOR each IN SELECT * FROM jsonb_array_elements(p->'files') LOOP
    INSERT INTO evidence (guild_id, case_id, action_id, url, name, size_bytes, problem)
    VALUES (p->>'guild_id', p->>'case_id', action, CASE WHEN each->>'problem' IS NULL THEN each->>'url' END,
      each->>'name', (each->>'bytes')::int, (each->>'problem')::"EvidenceProblem")
    RETURNING * INTO file;
    IF file.url IS NOT NULL THEN
      waiting := waiting || jsonb_build_object('id', file.id, 'url', file.url, 'bytes', file.size_bytes);
    END IF;
  END LOOP;
  IF waiting <> '[]' THEN
    PERFORM graphile_worker.add_job('fetch_evidence', json_build_object('action_id', action),
      run_at => clock_timestamp() + interval '30 seconds', job_key => 'fetch_evidence:' || action, max_attempts => 5);
  END IF;
  RETURN jsonb_build_object('action_id', action, 'files', waiting);
END
$$;
