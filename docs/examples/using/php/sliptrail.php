<?php

declare(strict_types=1);

/** Why a call came to nothing: `getMessage()` is the code. */
final class SlipTrailError extends RuntimeException
{
    public function __construct(
        string $code,
        public readonly int $status,
        public readonly string $words,
        public readonly array $issues = [],
    ) {
        parent::__construct($code);
    }
}

/** Asks SlipTrail and gives the data of its answer. The same key for the same request: it is done once. */
function slipTrail(string $method, string $path, ?array $body = null, ?string $idempotencyKey = null): array
{
    $headers = ['Authorization: Bearer ' . getenv('API_KEY'), 'Content-Type: application/json'];
    if ($idempotencyKey !== null) {
        $headers[] = "Idempotency-Key: $idempotencyKey";
    }
    $content = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $content,
        'timeout' => 30,
        'follow_location' => 0,
        // Answers that tell a failure are answers.
        'ignore_errors' => true,
    ]]);
    $stream = fopen(getenv('BASE_URL') . $path, 'r', false, $context);
    if ($stream === false) {
        throw new SlipTrailError('NETWORK_ERROR', 0, 'SlipTrail cannot be reached');
    }
    $answer = json_decode(stream_get_contents($stream), true, 64, JSON_THROW_ON_ERROR);
    if ($answer['success']) {
        return $answer['data'];
    }
    preg_match('/ (\d{3})/', stream_get_meta_data($stream)['wrapper_data'][0], $status);
    ['code' => $code, 'message' => $words] = $answer['error'];
    throw new SlipTrailError($code, (int) $status[1], $words, $answer['error']['issues'] ?? []);
}
