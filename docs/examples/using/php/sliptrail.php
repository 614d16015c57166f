<?php

declare(strict_types=1);

/** A call that failed. `getMessage()` returns the code. */
final class SlipTrailError extends RuntimeException
{
    public function __construct(
        string $code,
        public readonly int $status,
        public readonly string $description,
        public readonly array $issues = [],
    ) {
        parent::__construct($code);
    }
}

/** Calls SlipTrail and returns the data of the answer. A request with an idempotency key can be repeated. */
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
        // Returns the body of an error answer too.
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
    ['code' => $code, 'message' => $description] = $answer['error'];
    throw new SlipTrailError($code, (int) $status[1], $description, $answer['error']['issues'] ?? []);
}
