#!/usr/bin/env bash
# The first requests of a merchant, to a service with local chains: bash examples/first-requests.sh tl_test_… [http://127.0.0.1:3000]
# Idempotency keys make them repeatable: a second run only makes a second subscription. Needs curl and Node.
set -euo pipefail
key=${1:?the test key is missing: tl_test_…}
url=${2:-http://127.0.0.1:3000}
url=${url%/v1}

call() { # METHOD PATH [BODY]: shows the request, and leaves its answer in $answer
  echo "$1 $2 ${3:-}"
  answer=$(curl -sS -X "$1" -H "X-API-Key: $key" ${3:+-d "$3"} "$url/v1$2")
}
show() { echo "  $answer"; }

field() { # EXPRESSION: this field of the JSON in $answer
  node -e "
    const answer = JSON.parse(process.argv[1]);
    const value = answer.error === undefined ? answer.$1 : undefined;
    if (value === undefined) throw new Error('unexpected answer: ' + process.argv[1]);
    console.log(value);" "$answer"
}

wallet() { # NAME: the address of this test wallet
  answer=$(curl -sS "$url/devnet.json") field "evm.wallets.find(({ name }) => name === '$1')?.address"
}

# Where the money goes, what is sold, and who pays.
merchant=$(wallet merchant)
payer=$(wallet approved)
call POST /wallets '{"tokenKey": "usdc-base", "receiverWallet": "'"$merchant"'"}'
show
call POST /offers '{"name": "Coffee Club", "idempotencyKey": "coffee-club", "pricing": [{"amount": "9.90",
  "acceptedTokens": ["usdc-base"], "billing": {"type": "recurring", "interval": "month"}}]}'
show
price=$(field 'pricing[0].id')
# A wallet is one customer's: a test charge in the dashboard may have made it.
call GET "/customers?walletAddress=$payer"
if ! customer=$(field 'customers[0]?.id' 2>/dev/null); then
  call POST /customers '{"idempotencyKey": "ada", "wallets": [{"chainFamily": "evm", "address": "'"$payer"'"}]}'
  customer=$(field id)
fi
show

# The test wallet "approved" has approved every merchant, so the first charge settles within seconds.
call POST /subscriptions '{"priceId": "'"$price"'", "customerId": "'"$customer"'"}'
show
subscription=$(field id)
until [ "$(field status)" = active ]; do
  sleep 0.2
  call GET "/subscriptions/$subscription" >/dev/null
done
echo "GET /subscriptions/$subscription"
show

# A month later, by the subscription's own clock.
call POST /sandbox/advance '{"subscriptionId": "'"$subscription"'"}'
show
call GET "/payments?subscriptionId=$subscription"
show
