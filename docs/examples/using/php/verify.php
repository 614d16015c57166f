<?php
// Says whether an order was paid. BASE_URL=… API_KEY=… php verify.php SUBMISSION PAYLOAD AMOUNT

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

[, $submission, $payload, $amount] = $argv;

function checkOrder(string $submission, string $payload, float $amount): string
{
    try {
        $slip = slipTrail('POST', '/v2/verify/bank', ['payload' => $payload, 'matchAmount' => $amount], $submission);
    } catch (SlipTrailError $error) {
        // SLIP_NOT_FOUND: no such transfer. SLIP_PENDING: retry in a few minutes.
        return $error->getMessage();
    }
    if ($slip['isDuplicate']) {
        return 'used before';
    }
    return $slip['isAmountMatched'] ? 'paid' : 'another amount';
}

echo checkOrder($submission, $payload, (float) $amount), "\n";
