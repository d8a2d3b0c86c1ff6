-- Makes the daily partitions of audited reads from today to p_days_ahead, and drops those older than p_days_kept
-- (decisions: Audit). So it does with older rows of the default partition.
--
-- A backup holds locks on these tables until its end. Whoever waits behind it makes every read wait too, so upkeep gives
-- way at once: what it cannot do now, the next run does. Until then the default partition takes the rows.
CREATE OR REPLACE FUNCTION keep_audit_partitions(p_days_ahead int, p_days_kept int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms' AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
  day date;
  partition text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('bailiff.audit_partitions')) THEN
    RETURN; -- another process is doing it
  END IF;
  FOR day IN SELECT today + n FROM generate_series(0, p_days_ahead) AS n LOOP
    partition := 'audit_reads_' || to_char(day, 'YYYYMMDD');
    -- If a day already has rows in the default partition, it stays there.
    IF to_regclass(partition) IS NULL
       AND NOT EXISTS (SELECT FROM audit_reads_default
                       WHERE at >= day::timestamp AT TIME ZONE 'UTC' AND at < (day + 1)::timestamp AT TIME ZONE 'UTC') THEN
      -- Attaching a table locks the others less than making it as a partition.
      EXECUTE format('CREATE TABLE %I (LIKE audit_reads INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
      EXECUTE format('ALTER TABLE audit_reads ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                     partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
      -- Partitions inherit triggers on rows, but none on TRUNCATE (see triggers/audit.sql).
      EXECUTE format('CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON %I
                      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', partition);
    END IF;
  END LOOP;
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_reads'::regclass AND c.relname ~ '^audit_reads_\d{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - p_days_kept
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
  END LOOP;
  -- Of days that began while nobody made their partition.
  PERFORM set_config('bailiff.forgetting', 'yes', true);
  DELETE FROM audit_reads_default WHERE at < (today - p_days_kept)::timestamp AT TIME ZONE 'UTC';
  PERFORM set_config('bailiff.forgetting', '', true);
EXCEPTION WHEN lock_not_available THEN
  RAISE LOG 'The partitions of audited reads are locked, by a backup perhaps; the next run keeps them.';
END
$$;
