// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Dates by counting, month after month: slow, and easy to check. `Months.sol` is compared with it.
library Calendar {
    uint256 private constant DAYS_UNTIL_2024 = 19_723;

    /// @notice How many dates of the rhythm are after `start` and not after `moment`.
    function datesUntil(uint256 start, uint256 months, uint256 moment) internal pure returns (uint256) {
        (uint256 first, uint256 day, ) = _monthOf(start / 1 days);
        (uint256 last, uint256 today, uint256 length) = _monthOf(moment / 1 days);
        uint256 due = day < length ? day : length - 1;
        bool isBefore = today < due || (today == due && moment % 1 days < start % 1 days);
        return (last - first - (isBefore && last > first ? 1 : 0)) / months;
    }

    /// @dev The month (counted from January 2024), the day in it (from 0) and the month's length.
    function _monthOf(uint256 day) private pure returns (uint256 month, uint256 rest, uint256 length) {
        rest = day - DAYS_UNTIL_2024;
        for (; ; ++month) {
            length = lengthOf(2024 + month / 12, month % 12);
            if (rest < length) return (month, rest, length);
            rest -= length;
        }
    }

    /// @notice The days of a month (from 0).
    function lengthOf(uint256 year, uint256 month) internal pure returns (uint256) {
        bool isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        if (month == 1) return isLeap ? 29 : 28;
        return month == 3 || month == 5 || month == 8 || month == 10 ? 30 : 31;
    }
}
