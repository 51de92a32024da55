#!/usr/bin/env bash
# Makes the fixtures of this folder with the eke of e491636:
#
#	CGO_ENABLED=0 go build -trimpath -o /tmp/eke ./cmd/eke   # in a checkout of that commit
#	unshare --uts sh -c 'hostname lab; testdata/e491636/make.sh /tmp/eke CHECKOUT'
#
# The host's name is part of a worker's, hence the namespace. Everything happens in /lab, a path that says nothing of a machine.
set -euo pipefail
eke=$(realpath "$1") checkout=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
export PATH=/lab/bin:/usr/bin:/bin LANG=C.UTF-8
rm -rf /lab
trap 'cd /; for p in /proc/[0-9]*; do case $(readlink "$p/cwd") in /lab*) kill -KILL "${p#/proc/}" ;; esac; done 2>/dev/null' EXIT # commands outlive their runners
mkdir -p /lab/bin
cd /
cp "$eke" /lab/bin/eke

# until_ COMMAND…: waits for it to succeed.
until_() { for _ in $(seq 600); do if "$@" >/dev/null 2>&1; then return; fi; sleep 0.05; done; echo "in vain: $*" >&2; exit 1; }
running() { # STUDY TRIAL…: these trials run
	local study=$1 trial
	shift
	for trial; do eke --json trials "$study" --state running | grep -q "\"number\": $trial," || return 1; done
}
expect() { # FOLDER STUDY…: what that version says of its studies
	local folder=$1 study
	shift
	mkdir -p "$folder"
	for study; do
		eke --json status "$study" >"$folder/$study.status.json"
		eke --json trials "$study" >"$folder/$study.trials.json"
		eke export "$study" --format csv >"$folder/$study.csv"
	done
	eke --json studies >"$folder/studies.json"
}
serve() { # starts a server; its address is in $url
	eke serve --listen 127.0.0.1:0 --quiet "$@" >serve.out 2>serve.err &
	server=$!
	until_ grep -q '^the page' serve.out
	url=$(sed -n 's,^the page: \(.*\)/$,\1,p' serve.out)
}
post() { curl -sf -H "Authorization: Bearer $(cat admin)" -H "Content-Type: application/$2" --data-binary "$3" "$url/api/v1/$1" >/dev/null; }

# --- eke run and eke ask ---
mkdir /lab/tool && cd /lab/tool
cp "$here"/*.yaml "$here"/{fire,train}.sh .
eke run curves.yaml --plain >/dev/null
# A run is killed while trials 5 and 6 are under way. The command of 6 had reported.
HANG=5 LINGER=6 eke run kiln.yaml --parallel 2 --plain >/dev/null & run=$!
until_ running kiln 5 6
until_ test -e eke.trials/kiln/00006/result.json
kill -KILL $run; wait $run || true
eke ask glass.yaml --n 3 >/dev/null
eke tell glass 1 --value 0.5 --cost 1.5 >/dev/null
eke tell glass 2 --failed --cost 1 --note 'it cracked' >/dev/null
eke correct glass 1 --value 0.625 >/dev/null
eke label glass --tag clear --notes 'The first.' >/dev/null
expect "$here/tool" kiln curves glass

# --- eke serve and eke worker, on both stores ---
service() { # FOLDER EXPECTED: on whatever store $EKE_DB names
	mkdir "$1" && cd "$1"
	cp "$here"/{kiln,curves,glass}.yaml "$here"/{fire,train}.sh .
	(umask 077
	eke token new --role admin --name ada >admin
	eke token new --role worker --name lab --group potters >token
	eke token new --role worker --name ben --group glaziers >other)
	serve
	for study in kiln glass curves; do post studies yaml @$study.yaml; done
	post studies/kiln/labels json '{"group": "potters"}'
	post studies/glass/labels json '{"group": "glaziers"}'
	post studies/glass/ask json '{"by_hand": true}'
	eke worker --server "$url" --study curves --token-file admin --plain >/dev/null
	# A worker is killed while trials 5 and 7 are under way. The result of 6 is in its journal: there was no server.
	HANG="5 7" WAIT=6 eke worker --server "$url" --study kiln --token-file token --parallel 3 --plain >/dev/null & work=$!
	until_ running kiln 5 6 7
	kill -INT $server; wait $server || true
	touch go
	until_ sh -c 'grep -l outcome eke.worker/kiln/*/journal/*.json'
	kill -KILL $work; wait $work || true
	rm -f serve.out serve.err go
	expect "$2" kiln
}
service /lab/service "$here/service"
cd /lab
tar -c --format=pax --pax-option=delete=atime,delete=ctime --owner=0 --group=0 --numeric-owner --sort=name tool service | gzip -9n >"$here/sqlite.tar.gz"
eval "$("$repository/scripts/postgres" start /lab/pg)"
EKE_DB=$EKE_TEST_POSTGRES service /lab/shared "$here/shared"
pg_dump --inserts --no-owner --no-privileges "$EKE_TEST_POSTGRES" | grep -v '^\\\(un\)\?restrict' | gzip -9n >"$here/postgres.sql.gz"
"$repository/scripts/postgres" stop /lab/pg
cd /lab
tar -c --format=pax --pax-option=delete=atime,delete=ctime --owner=0 --group=0 --numeric-owner --sort=name shared | gzip -9n >"$here/shared.tar.gz"

# --- what clients and servers say to each other ---
recorded() { # NAME COMMAND…: $URL in the command is the recorder's address
	local name=$1 recorder
	shift
	mkdir "/lab/$name" && cd "/lab/$name"
	cp "$here"/*.yaml "$here"/{fire,train}.sh .
	serve --lease 1s
	python3 "$here/record.py" "$url" "/lab/$name.jsonl" >recorder.out & recorder=$!
	until_ grep -q http recorder.out
	URL=$(cat recorder.out) sh -c "$*" >/dev/null
	kill $recorder; wait $recorder || true
	kill -INT $server; wait $server || true
	cp "/lab/$name.jsonl" "$here/"
}
recorded worker 'sed -i "s/total: 16/total: 6/" kiln.yaml; eke study create kiln.yaml --server $URL && eke worker --server $URL --study kiln --plain'
recorded run 'eke run curves.yaml --server $URL --plain && eke run oven.yaml --server $URL --plain && ! eke run curves.yaml --server $URL --plain'
HERE=$here PYTHONPATH=$checkout/clients/python recorded python 'cp $HERE/conversation.py . && python3 conversation.py $URL'
cd /
rm -rf /lab
