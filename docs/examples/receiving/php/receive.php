<?php

// Receives callbacks of SlipTrail. To start it:
// WEBHOOK_SECRETS=whsec_… INBOX=/tmp/inbox php -S 127.0.0.1:8000 receive.php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** The valid secrets, separated by spaces: two during a rotation. */
function webhookSecrets(): array
{
    $secrets = preg_split('/\s+/', (string) getenv('WEBHOOK_SECRETS'), -1, PREG_SPLIT_NO_EMPTY);
    foreach ($secrets ?: [''] as $secret) {
        if (!preg_match('/^whsec_[A-Za-z0-9+\/]{32,}={0,2}$/D', $secret)) {
            throw new RuntimeException('WEBHOOK_SECRETS must contain a secret whsec_…');
        }
    }
    return $secrets;
}

/** Whether one of the secrets signed exactly these bytes, in the last five minutes. */
function isGenuine(string $body, array $secrets): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $genuine = false;
    foreach ($secrets as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')), true);
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach ($signatures as $signature) {
            $genuine = hash_equals($expected, $signature) || $genuine;
        }
    }
    return $genuine;
}

/** Stores a callback for later work. A repeated callback has the same bytes and replaces the file. */
function store(string $jobId, string $body): void
{
    $file = getenv('INBOX') . "/$jobId.json";
    $temporary = $file . '.' . bin2hex(random_bytes(8));
    if (file_put_contents($temporary, $body) !== strlen($body) || !rename($temporary, $file)) {
        throw new RuntimeException('cannot write to the inbox');
    }
}

function answerTo(string $body): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    if (!isGenuine($body, webhookSecrets())) {
        return 401;
    }
    $callback = json_decode($body, true, 32, JSON_THROW_ON_ERROR);
    if (!preg_match('/^[0-9a-f-]{36}$/D', $callback['jobId'])) {
        return 400;
    }
    store($callback['jobId'], $body);
    return 200;
}

try {
    http_response_code(answerTo(file_get_contents('php://input')));
} catch (Throwable $error) {
    // An error of the receiver: with 500 the callback is sent again.
    error_log($error->getMessage());
    http_response_code(500);
}
