// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The errors that the router shares with its base and its clones
interface Faults {
    /// @notice This key was charged, or this refund made, before; `chargedAt` gives the time.
    error Seen(bytes32 key);
    /// @notice The token gives no balance; `reason` is its revert data or its answer.
    error BalanceFailed(bytes reason);
    /// @notice Another amount arrived than expected: the token takes a fee, or lies.
    error ArrivalMismatch(uint256 arrived, uint256 expected);
    /// @notice Under a mandate, the token did not move a share from the payer to its recipient; `reason` is its revert
    /// data or its answer.
    error SharePullFailed(uint256 index, bytes reason);
    /// @notice The token did not move the charged amount to the router; `reason` is its revert data or its answer.
    error PullFailed(bytes reason);
    /// @notice The token, or the receiver of the native coin, refused a refund; `reason` is its revert data or its
    /// answer.
    error RefundFailed(bytes reason);
    /// @notice A call ran out of gas; `given` is the gas that it had. As the reason inside another error: the token
    /// used several times the gas of an honest one. Some old tokens refuse in this way.
    error OutOfGas(uint256 given);
}
