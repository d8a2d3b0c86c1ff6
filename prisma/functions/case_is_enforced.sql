-- Whether Bailiff answers at Discord for a ban or mute on record: it was given here, or a moderator has set its end here
-- since. Any other imported one is only a record: whether it stands at Discord, the file does not know. Ends that an
-- archive knows of were set elsewhere.
CREATE OR REPLACE FUNCTION case_is_enforced(p_id text, p_import_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_import_id IS NULL OR EXISTS (SELECT FROM case_changes
    WHERE case_id = p_id AND after ? 'expires_at' AND action_id <> p_import_id)
$$;
