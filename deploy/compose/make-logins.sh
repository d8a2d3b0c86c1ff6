#!/bin/sh
# PostgreSQL's image runs this once, when it makes the database: the logins of docs/operations.md (Logins of the
# database), with the passwords in their addresses.
set -eu
password() { sed 's|^[a-z]*://[^:]*:\([0-9a-f]*\)@.*|\1|' "/run/secrets/$1"; }

psql --set ON_ERROR_STOP=1 --username postgres <<SQL
CREATE ROLE bailiff LOGIN PASSWORD '$(password database_url)';
CREATE ROLE bailiff_bot LOGIN PASSWORD '$(password database_bot_url)';
CREATE ROLE bailiff_web LOGIN PASSWORD '$(password database_web_url)';
CREATE DATABASE bailiff OWNER bailiff;
SQL
